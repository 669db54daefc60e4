// The English texts of who the player is in this browser, and of what is not there.

export const accountTexts = {
  haveCode: "Sign in with a code",
  forgotten: "The server does not know this browser any more. You are a new guest,",
  forgottenHelp: "Sign in again with a recovery code, or with a code from another device.",
  forgets: "This browser keeps nothing for this page: when you close or reload it, you are somebody else. Register a name and make a recovery code, or let the browser store data for this address.",
  unknownRoomHelp: "The link may be incomplete, or the server has not kept the game. Ask whoever sent it for a new one.",
  unknownPageHelp: "The link may be incomplete.",
};
