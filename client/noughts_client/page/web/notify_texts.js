// The English texts of the panel on how a player is told of a move.

export const notifyText = {
  help: "In a game with days for each move the server tells you when it is your turn: in this page’s title, and if you like in these ways.",
  here: "On this device",
  hereHelp: "A notification when it is your move and you look elsewhere.",
  ask: "Show notifications",
  granted: "This device shows them.",
  denied: "This browser refuses them from this page. You can allow them in its settings for this address.",
  unsupported: "This browser shows none from this page: it may need https.",
  webhook: "Tell me at an address on the web",
  webhookHelp: "A push service, a chat or a program of yours gets a message there, such as a topic of ntfy. Whoever knows the address can read it.",
  url: "Address",
  set: "Save and try it",
  test: "Try it now",
  remove: "Remove it",
  trying: "The server is calling it …",
  told: "It works: the last call was answered.",
  /** @param {string} why */
  failed: (why) => `The last call failed: ${why}. It is made again for some hours.`,
  secret: "Secret that signs the calls",
  removed: "Removed. Nothing is sent any more.",
};
