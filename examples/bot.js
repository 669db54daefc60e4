// A bot on Node's own WebSocket, which plays the first legal move: node examples/bot.js [ws://ADDRESS:8765/ws]
// Node 22 or newer has WebSocket; Node 20 needs node --experimental-websocket examples/bot.js
const socket = new WebSocket(process.argv[2] ?? "ws://127.0.0.1:8765/ws");
const send = (message) => socket.send(JSON.stringify(message));
const seats = { first: "me", second: "computer:easy" };
let me = "";

socket.onopen = () => send({ type: "hello", protocol: 1, name: "js-bot", bot: true });
socket.onclose = ({ reason }) => reason && console.error(reason);
socket.onerror = () => console.error(`No server answers at ${socket.url}`);
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.type === "welcome") {
    me = message.player.id;
    send({ type: "create", game: "tictactoe", seats });
  } else if (message.type === "error") {
    console.error(message.message);
    process.exitCode = 1;
    socket.close();
  } else if (message.type === "room" || message.type === "update") {
    const { state, room } = message;
    if (state.outcome) {
      console.log(state.outcome.reason, state.outcome.winner ?? "");
      socket.close();
    } else if (state.seats[state.to_move]?.id === me) {
      send({ type: "play", room, turn: state.turn, move: state.legal_moves[0] });
    }
  }
};
