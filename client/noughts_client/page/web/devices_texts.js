// The English texts of names and devices.

export const deviceTexts = {
  yourName: "Your name",
  register: "Register this name",
  registeredAs: "Registered. Nobody else can use this name here.",
  registerHelp: "Your games are kept in this browser. Register a name to play rated games.",
  lost: "The connection broke before the answer came. Try again.",
  thisDevice: "this device",
  unnamed: "Unnamed device",
  onlyDevice: "Only this browser knows you. If it forgets you, nobody can use your name any more: add a device, or make a recovery code.",
  /** @param {string | null} at */
  used: (at) => (at === null ? "" : `used ${ago(at)}`),
  signOut: "Sign out",
  signOutAsk: "Signing out",
  signOutOthers: "Sign out everywhere else",
  signOutAnyway: "Sign out and lose the name",
  askOne: "Sign out",
  askOthers: "Sign out on all devices but this one? If somebody else had access, make a new recovery code, too.",
  askThis: "Sign out on this device?",
  askGuest: "Sign out? You are a guest, so unless you are signed in elsewhere, you cannot come back to your games.",
  askLast: "This is your last device. Without a recovery code, nobody can ever use your name again.",
  cancel: "Cancel",
  add: "Add a device",
  addHelp: "Open this link on the other device, or point its camera at the code. It works once.",
  orType: "Or open this page there, choose the name at its edge and, below “Sign in with a code”, type",
  joined: "Another device has joined.",
  /** @param {number} seconds */
  valid: (seconds) => `Valid for ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`,
  recovery: "Recovery code",
  recoveryHelp: "With a recovery code you can sign in when all your devices are lost.",
  /** @param {string} at */
  recoveryMade: (at) => `Made ${ago(at)}. It works until you make a new one.`,
  makeRecovery: "Make a recovery code",
  replaceRecovery: "Make a new one",
  writeDown: "Write this code down: it is not shown again. Whoever has it can play as you.",
  code: "Code from another device, or recovery code",
  useCode: "Continue",
  looking: "Looking up the code …",
  oldLink: "This link no longer works. It works once, within five minutes. Make a new one on the other device.",
  already: "You are already signed in on this device as",
  joinAs: "Join as",
  onThisDevice: "on this device?",
  join: "Join",
  leaving: "This signs you out here as",
  leavingHelp: "Make sure that you can sign in again, on another device or with a recovery code.",
};

const days = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** @param {string} at */
function ago(at) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  return days.format(Math.min(0, Math.floor((Date.parse(at) - midnight) / 86_400_000)), "day");
}
