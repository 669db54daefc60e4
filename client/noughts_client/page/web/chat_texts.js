// The English texts of chat.

import { isolated } from "./texts.js";

export const chatText = {
  ofSpectators: "What the spectators say to each other. The players do not see it.",
  empty: "Nobody has said anything yet.",
  say: "Say something",
  send: "Send",
  here: "Here:",
  profile: "Profile",
  mute: "Mute",
  unmute: "Hear again",
  report: "Report …",
  /** @param {string} name */
  about: (name) => `What can be done about ${isolated(name)}`,
  muted: "You have muted:",
  /** @param {string} name */
  isMuted: (name) => `You see nothing more of what ${isolated(name)} says, also in other games. They do not learn of it.`,
  /** @param {string} name */
  isHeard: (name) => `You see what ${isolated(name)} says again.`,
  /** @param {string} name */
  reportOf: (name) => `Report ${isolated(name)} to the operator`,
  reason: "What is wrong?",
  reportHelp: "The operator of this server reads it with the last 20 lines of chat that you can see here, and decides what to do. The other player is not told.",
  sendReport: "Send the report",
  cancel: "Cancel",
  /** @param {string} name */
  reported: (name) => `You have reported ${isolated(name)} to the server’s operator. You can also mute them.`,
};
