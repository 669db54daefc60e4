// The English texts of the settings.

export const settingsText = {
  back: "Back",
  title: "Settings",
  profile: "Your profile",
  contents: "On this page",
  parts: { look: "Look and sound", play: "Play", telling: "When it is your move", devices: "Your devices", muted: "Muted players" },
  theme: "Colours",
  themeHelp: "Light, dark, or as your system has them, which may change in the evening.",
  /** @type {["system" | "light" | "dark", string][]} */
  themes: [["system", "System"], ["light", "Light"], ["dark", "Dark"]],
  sounds: "Sounds",
  soundsHelp: "Short and soft, like wood: for moves, your turn, the end of a game, and the last seconds of your clock.",
  hear: "Hear one:",
  /** @type {[import("./sounds.js").Sound, string][]} */
  samples: [["own", "A move"], ["capture", "A capture"], ["turn", "Your turn"], ["won", "You win"], ["low", "Little time"]],
  level: "The computer’s level",
  levelHelp: "How strong it is when you start a game on the first view. You can also change it there, above the boards.",
  signedIn: "Where you are signed in",
  signedInHelp: "A registered name belongs to up to ten devices. You can sign any of them out.",
  addHelp: "Play under the same name on a phone or another computer, with all your games.",
  mutedHelp: "You see nothing of what they say in chat, in any game.",
  unmute: "Hear again",
};
