PRAGMA application_id = 1313294420;
PRAGMA user_version = 12;
BEGIN TRANSACTION;
CREATE TABLE codes (
    player TEXT NOT NULL,
    purpose TEXT NOT NULL, -- 'join' or 'recovery'
    hash BLOB NOT NULL UNIQUE,
    made INTEGER NOT NULL,
    PRIMARY KEY (player, purpose)
) WITHOUT ROWID;
CREATE TABLE heartbeat (at INTEGER NOT NULL);
INSERT INTO "heartbeat" VALUES(1795526063929);
CREATE TABLE outages (
    until INTEGER PRIMARY KEY,
    since INTEGER NOT NULL
);
CREATE TABLE "players" (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    seated INTEGER NOT NULL,
    greeted INTEGER, -- when, ms since the epoch
    name_key TEXT, -- what name_key() makes of the name
    registered INTEGER NOT NULL DEFAULT FALSE,
    muted_until INTEGER NOT NULL DEFAULT 0, -- ms since the epoch
    banned_until INTEGER NOT NULL DEFAULT 0, -- ms since the epoch
    changed INTEGER -- when the name, a token or a right was last changed, ms since the epoch
) WITHOUT ROWID;
INSERT INTO "players" VALUES('p-t5pywbfodlxlh','ann','human',1,1795526062913,'ann',0,0,0,NULL);
INSERT INTO "players" VALUES('p-v3p6ipkjxn57d','ben','human',1,1795526062960,'ben',0,0,0,NULL);
CREATE TABLE rated_until (position INTEGER NOT NULL);
INSERT INTO "rated_until" VALUES(0);
CREATE TABLE rating_history (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    pool TEXT NOT NULL,
    position INTEGER NOT NULL, -- of the game
    ended_at INTEGER NOT NULL, -- ms since the epoch
    rating REAL NOT NULL,
    PRIMARY KEY (player, game, pool, position)
) WITHOUT ROWID;
CREATE TABLE ratings (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    pool TEXT NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (player, game, pool)
) WITHOUT ROWID;
CREATE TABLE records (
    room INTEGER NOT NULL REFERENCES rooms (number),
    version INTEGER NOT NULL,
    record BLOB NOT NULL,
    PRIMARY KEY (room, version)
) WITHOUT ROWID;
INSERT INTO "records" VALUES(1,1,CAST('{"schema":2,"kind":"opened","at":1795526063003,"room":"m7r2uvvpkw7ty","game":"tictactoe","by":"p-t5pywbfodlxlh","first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human"},"second":null,"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000,"rated":false,"clock":{"initial_ms":600000,"increment_ms":2000},"first_move_ms":60000,"abandoned_ms":600000,"claim_ms":60000},"previous":null}' AS BLOB));
INSERT INTO "records" VALUES(1,2,CAST('{"schema":1,"kind":"joined","at":1795526063029,"side":"second","player":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human"}}' AS BLOB));
INSERT INTO "records" VALUES(1,3,CAST('{"schema":1,"kind":"played","at":1795526063054,"side":"first","turn":0,"move":"5","spent_ms":25,"compensated_ms":0,"thought_ms":25,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(1,4,CAST('{"schema":1,"kind":"played","at":1795526063065,"side":"second","turn":1,"move":"7","spent_ms":11,"compensated_ms":0,"thought_ms":11,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(1,5,CAST('{"schema":1,"kind":"played","at":1795526063070,"side":"first","turn":2,"move":"9","spent_ms":5,"compensated_ms":5,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(1,6,CAST('{"schema":1,"kind":"played","at":1795526063071,"side":"second","turn":3,"move":"8","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(1,7,CAST('{"schema":1,"kind":"played","at":1795526063076,"side":"first","turn":4,"move":"6","spent_ms":5,"compensated_ms":5,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(1,8,CAST('{"schema":1,"kind":"played","at":1795526063081,"side":"second","turn":5,"move":"1","spent_ms":5,"compensated_ms":3,"thought_ms":2,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(1,9,CAST('{"schema":1,"kind":"played","at":1795526063085,"side":"first","turn":6,"move":"3","spent_ms":4,"compensated_ms":4,"thought_ms":0,"outcome":{"winner":"first","reason":"line","cells":["3","6","9"]}}' AS BLOB));
INSERT INTO "records" VALUES(2,1,CAST('{"schema":2,"kind":"opened","at":1795526063089,"room":"ijjjpt6vykuj5","game":"tictactoe","by":"p-t5pywbfodlxlh","first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human"},"second":null,"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000,"rated":false,"clock":{"initial_ms":600000,"increment_ms":2000},"first_move_ms":60000,"abandoned_ms":600000,"claim_ms":60000},"previous":null}' AS BLOB));
INSERT INTO "records" VALUES(2,2,CAST('{"schema":1,"kind":"joined","at":1795526063098,"side":"second","player":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human"}}' AS BLOB));
INSERT INTO "records" VALUES(2,3,CAST('{"schema":1,"kind":"played","at":1795526063101,"side":"first","turn":0,"move":"4","spent_ms":3,"compensated_ms":0,"thought_ms":3,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(2,4,CAST('{"schema":1,"kind":"played","at":1795526063102,"side":"second","turn":1,"move":"1","spent_ms":1,"compensated_ms":0,"thought_ms":1,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(2,5,CAST('{"schema":1,"kind":"played","at":1795526063106,"side":"first","turn":2,"move":"3","spent_ms":4,"compensated_ms":4,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(2,6,CAST('{"schema":1,"kind":"played","at":1795526063112,"side":"second","turn":3,"move":"2","spent_ms":6,"compensated_ms":3,"thought_ms":3,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(2,7,CAST('{"schema":1,"kind":"offered","at":1795526063113,"side":"second","offer":"takeback"}' AS BLOB));
INSERT INTO "records" VALUES(2,8,CAST('{"schema":1,"kind":"taken_back","at":1795526063114,"side":"first","plies":1}' AS BLOB));
INSERT INTO "records" VALUES(3,1,CAST('{"schema":2,"kind":"opened","at":1795526063119,"room":"6xkzfk74bgbwn","game":"connect4","by":"p-t5pywbfodlxlh","first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human"},"second":null,"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000,"rated":false,"clock":{"initial_ms":600000,"increment_ms":2000},"first_move_ms":60000,"abandoned_ms":600000,"claim_ms":60000},"previous":null}' AS BLOB));
INSERT INTO "records" VALUES(3,2,CAST('{"schema":1,"kind":"joined","at":1795526063120,"side":"second","player":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human"}}' AS BLOB));
INSERT INTO "records" VALUES(3,3,CAST('{"schema":1,"kind":"played","at":1795526063125,"side":"first","turn":0,"move":"3","spent_ms":5,"compensated_ms":0,"thought_ms":5,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,4,CAST('{"schema":1,"kind":"played","at":1795526063129,"side":"second","turn":1,"move":"4","spent_ms":4,"compensated_ms":0,"thought_ms":4,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,5,CAST('{"schema":1,"kind":"played","at":1795526063132,"side":"first","turn":2,"move":"7","spent_ms":3,"compensated_ms":3,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,6,CAST('{"schema":1,"kind":"played","at":1795526063137,"side":"second","turn":3,"move":"2","spent_ms":5,"compensated_ms":3,"thought_ms":2,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,7,CAST('{"schema":1,"kind":"played","at":1795526063149,"side":"first","turn":4,"move":"4","spent_ms":11,"compensated_ms":10,"thought_ms":1,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,8,CAST('{"schema":1,"kind":"played","at":1795526063150,"side":"second","turn":5,"move":"5","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,9,CAST('{"schema":1,"kind":"played","at":1795526063151,"side":"first","turn":6,"move":"1","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,10,CAST('{"schema":1,"kind":"played","at":1795526063153,"side":"second","turn":7,"move":"5","spent_ms":2,"compensated_ms":2,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,11,CAST('{"schema":1,"kind":"played","at":1795526063156,"side":"first","turn":8,"move":"2","spent_ms":3,"compensated_ms":3,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,12,CAST('{"schema":1,"kind":"played","at":1795526063157,"side":"second","turn":9,"move":"1","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,13,CAST('{"schema":1,"kind":"played","at":1795526063158,"side":"first","turn":10,"move":"6","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,14,CAST('{"schema":1,"kind":"played","at":1795526063161,"side":"second","turn":11,"move":"2","spent_ms":3,"compensated_ms":3,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,15,CAST('{"schema":1,"kind":"played","at":1795526063165,"side":"first","turn":12,"move":"4","spent_ms":4,"compensated_ms":4,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,16,CAST('{"schema":1,"kind":"played","at":1795526063166,"side":"second","turn":13,"move":"3","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,17,CAST('{"schema":1,"kind":"played","at":1795526063167,"side":"first","turn":14,"move":"2","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,18,CAST('{"schema":1,"kind":"played","at":1795526063169,"side":"second","turn":15,"move":"7","spent_ms":2,"compensated_ms":2,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,19,CAST('{"schema":1,"kind":"played","at":1795526063175,"side":"first","turn":16,"move":"7","spent_ms":6,"compensated_ms":6,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,20,CAST('{"schema":1,"kind":"played","at":1795526063185,"side":"second","turn":17,"move":"4","spent_ms":10,"compensated_ms":3,"thought_ms":7,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,21,CAST('{"schema":1,"kind":"played","at":1795526063187,"side":"first","turn":18,"move":"2","spent_ms":2,"compensated_ms":2,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,22,CAST('{"schema":1,"kind":"played","at":1795526063188,"side":"second","turn":19,"move":"7","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,23,CAST('{"schema":1,"kind":"played","at":1795526063189,"side":"first","turn":20,"move":"7","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,24,CAST('{"schema":1,"kind":"played","at":1795526063193,"side":"second","turn":21,"move":"1","spent_ms":4,"compensated_ms":3,"thought_ms":1,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,25,CAST('{"schema":1,"kind":"played","at":1795526063205,"side":"first","turn":22,"move":"2","spent_ms":12,"compensated_ms":10,"thought_ms":2,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,26,CAST('{"schema":1,"kind":"played","at":1795526063206,"side":"second","turn":23,"move":"6","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,27,CAST('{"schema":1,"kind":"played","at":1795526063213,"side":"first","turn":24,"move":"6","spent_ms":7,"compensated_ms":7,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,28,CAST('{"schema":1,"kind":"played","at":1795526063216,"side":"second","turn":25,"move":"5","spent_ms":3,"compensated_ms":3,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,29,CAST('{"schema":1,"kind":"played","at":1795526063217,"side":"first","turn":26,"move":"3","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,30,CAST('{"schema":1,"kind":"played","at":1795526063221,"side":"second","turn":27,"move":"3","spent_ms":4,"compensated_ms":3,"thought_ms":1,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,31,CAST('{"schema":1,"kind":"played","at":1795526063222,"side":"first","turn":28,"move":"1","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,32,CAST('{"schema":1,"kind":"played","at":1795526063223,"side":"second","turn":29,"move":"1","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,33,CAST('{"schema":1,"kind":"played","at":1795526063229,"side":"first","turn":30,"move":"3","spent_ms":6,"compensated_ms":6,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,34,CAST('{"schema":1,"kind":"played","at":1795526063231,"side":"second","turn":31,"move":"3","spent_ms":2,"compensated_ms":2,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,35,CAST('{"schema":1,"kind":"played","at":1795526063233,"side":"first","turn":32,"move":"4","spent_ms":2,"compensated_ms":2,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,36,CAST('{"schema":1,"kind":"played","at":1795526063235,"side":"second","turn":33,"move":"4","spent_ms":2,"compensated_ms":2,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,37,CAST('{"schema":1,"kind":"played","at":1795526063237,"side":"first","turn":34,"move":"6","spent_ms":2,"compensated_ms":2,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,38,CAST('{"schema":1,"kind":"played","at":1795526063239,"side":"second","turn":35,"move":"6","spent_ms":2,"compensated_ms":2,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,39,CAST('{"schema":1,"kind":"played","at":1795526063248,"side":"first","turn":36,"move":"5","spent_ms":9,"compensated_ms":9,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,40,CAST('{"schema":1,"kind":"played","at":1795526063250,"side":"second","turn":37,"move":"5","spent_ms":2,"compensated_ms":2,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,41,CAST('{"schema":1,"kind":"played","at":1795526063253,"side":"first","turn":38,"move":"5","spent_ms":3,"compensated_ms":3,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,42,CAST('{"schema":1,"kind":"played","at":1795526063261,"side":"second","turn":39,"move":"7","spent_ms":8,"compensated_ms":3,"thought_ms":5,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,43,CAST('{"schema":1,"kind":"played","at":1795526063265,"side":"first","turn":40,"move":"1","spent_ms":4,"compensated_ms":4,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(3,44,CAST('{"schema":1,"kind":"played","at":1795526063269,"side":"second","turn":41,"move":"6","spent_ms":4,"compensated_ms":3,"thought_ms":1,"outcome":{"winner":null,"reason":"draw","cells":[]}}' AS BLOB));
INSERT INTO "records" VALUES(4,1,CAST('{"schema":2,"kind":"opened","at":1795526063271,"room":"vzizx5a3ajapv","game":"connect4","by":"p-t5pywbfodlxlh","first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human"},"second":null,"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000,"rated":false,"clock":{"initial_ms":600000,"increment_ms":2000},"first_move_ms":60000,"abandoned_ms":600000,"claim_ms":60000},"previous":null}' AS BLOB));
INSERT INTO "records" VALUES(4,2,CAST('{"schema":1,"kind":"joined","at":1795526063272,"side":"second","player":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human"}}' AS BLOB));
INSERT INTO "records" VALUES(4,3,CAST('{"schema":1,"kind":"played","at":1795526063277,"side":"first","turn":0,"move":"3","spent_ms":5,"compensated_ms":0,"thought_ms":5,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(4,4,CAST('{"schema":1,"kind":"played","at":1795526063281,"side":"second","turn":1,"move":"1","spent_ms":4,"compensated_ms":0,"thought_ms":4,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(4,5,CAST('{"schema":1,"kind":"played","at":1795526063285,"side":"first","turn":2,"move":"3","spent_ms":4,"compensated_ms":4,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(4,6,CAST('{"schema":1,"kind":"played","at":1795526063295,"side":"second","turn":3,"move":"4","spent_ms":10,"compensated_ms":3,"thought_ms":7,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(4,7,CAST('{"schema":1,"kind":"offered","at":1795526063300,"side":"second","offer":"takeback"}' AS BLOB));
INSERT INTO "records" VALUES(4,8,CAST('{"schema":1,"kind":"taken_back","at":1795526063301,"side":"first","plies":1}' AS BLOB));
INSERT INTO "records" VALUES(5,1,CAST('{"schema":2,"kind":"opened","at":1795526063303,"room":"tcfbbcav7dlra","game":"reversi","by":"p-t5pywbfodlxlh","first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human"},"second":null,"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000,"rated":false,"clock":{"initial_ms":600000,"increment_ms":2000},"first_move_ms":60000,"abandoned_ms":600000,"claim_ms":60000},"previous":null}' AS BLOB));
INSERT INTO "records" VALUES(5,2,CAST('{"schema":1,"kind":"joined","at":1795526063308,"side":"second","player":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human"}}' AS BLOB));
INSERT INTO "records" VALUES(5,3,CAST('{"schema":1,"kind":"played","at":1795526063312,"side":"first","turn":0,"move":"c4","spent_ms":4,"compensated_ms":0,"thought_ms":4,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(5,4,CAST('{"schema":1,"kind":"played","at":1795526063313,"side":"second","turn":1,"move":"c3","spent_ms":1,"compensated_ms":0,"thought_ms":1,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(5,5,CAST('{"schema":1,"kind":"played","at":1795526063314,"side":"first","turn":2,"move":"f5","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(5,6,CAST('{"schema":1,"kind":"played","at":1795526063315,"side":"second","turn":3,"move":"b4","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(5,7,CAST('{"schema":1,"kind":"played","at":1795526063323,"side":"first","turn":4,"move":"d3","spent_ms":8,"compensated_ms":8,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(5,8,CAST('{"schema":1,"kind":"played","at":1795526063329,"side":"second","turn":5,"move":"f4","spent_ms":6,"compensated_ms":3,"thought_ms":3,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(5,9,CAST('{"schema":1,"kind":"played","at":1795526063333,"side":"first","turn":6,"move":"g3","spent_ms":4,"compensated_ms":4,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(5,10,CAST('{"schema":1,"kind":"played","at":1795526063335,"side":"second","turn":7,"move":"g6","spent_ms":2,"compensated_ms":2,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(5,11,CAST('{"schema":1,"kind":"ended","at":1795526063909,"side":"first","outcome":{"winner":"second","reason":"resignation","cells":[]}}' AS BLOB));
INSERT INTO "records" VALUES(6,1,CAST('{"schema":2,"kind":"opened","at":1795526063337,"room":"ldagzftmbf5kw","game":"reversi","by":"p-t5pywbfodlxlh","first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human"},"second":null,"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000,"rated":false,"clock":{"initial_ms":600000,"increment_ms":2000},"first_move_ms":60000,"abandoned_ms":600000,"claim_ms":60000},"previous":null}' AS BLOB));
INSERT INTO "records" VALUES(6,2,CAST('{"schema":1,"kind":"joined","at":1795526063339,"side":"second","player":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human"}}' AS BLOB));
INSERT INTO "records" VALUES(6,3,CAST('{"schema":1,"kind":"played","at":1795526063340,"side":"first","turn":0,"move":"d3","spent_ms":1,"compensated_ms":0,"thought_ms":1,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(6,4,CAST('{"schema":1,"kind":"played","at":1795526063341,"side":"second","turn":1,"move":"c5","spent_ms":1,"compensated_ms":0,"thought_ms":1,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(6,5,CAST('{"schema":1,"kind":"played","at":1795526063342,"side":"first","turn":2,"move":"d6","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(6,6,CAST('{"schema":1,"kind":"played","at":1795526063349,"side":"second","turn":3,"move":"c3","spent_ms":7,"compensated_ms":3,"thought_ms":4,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(6,7,CAST('{"schema":1,"kind":"offered","at":1795526063357,"side":"second","offer":"takeback"}' AS BLOB));
INSERT INTO "records" VALUES(6,8,CAST('{"schema":1,"kind":"taken_back","at":1795526063361,"side":"first","plies":1}' AS BLOB));
INSERT INTO "records" VALUES(7,1,CAST('{"schema":2,"kind":"opened","at":1795526063363,"room":"ujcdnlcvtv2ef","game":"gomoku","by":"p-t5pywbfodlxlh","first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human"},"second":null,"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000,"rated":false,"clock":{"initial_ms":600000,"increment_ms":2000},"first_move_ms":60000,"abandoned_ms":600000,"claim_ms":60000},"previous":null}' AS BLOB));
INSERT INTO "records" VALUES(7,2,CAST('{"schema":1,"kind":"joined","at":1795526063369,"side":"second","player":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human"}}' AS BLOB));
INSERT INTO "records" VALUES(7,3,CAST('{"schema":1,"kind":"played","at":1795526063377,"side":"first","turn":0,"move":"e6","spent_ms":8,"compensated_ms":0,"thought_ms":8,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(7,4,CAST('{"schema":1,"kind":"played","at":1795526063379,"side":"second","turn":1,"move":"b7","spent_ms":2,"compensated_ms":0,"thought_ms":2,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(7,5,CAST('{"schema":1,"kind":"played","at":1795526063384,"side":"first","turn":2,"move":"b15","spent_ms":5,"compensated_ms":5,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(7,6,CAST('{"schema":1,"kind":"played","at":1795526063401,"side":"second","turn":3,"move":"d6","spent_ms":17,"compensated_ms":3,"thought_ms":14,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(7,7,CAST('{"schema":1,"kind":"played","at":1795526063408,"side":"first","turn":4,"move":"g9","spent_ms":7,"compensated_ms":7,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(7,8,CAST('{"schema":1,"kind":"played","at":1795526063430,"side":"second","turn":5,"move":"c13","spent_ms":22,"compensated_ms":3,"thought_ms":19,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(7,9,CAST('{"schema":1,"kind":"played","at":1795526063446,"side":"first","turn":6,"move":"h6","spent_ms":16,"compensated_ms":10,"thought_ms":6,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(7,10,CAST('{"schema":1,"kind":"played","at":1795526063478,"side":"second","turn":7,"move":"c4","spent_ms":32,"compensated_ms":3,"thought_ms":29,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(7,11,CAST('{"schema":1,"kind":"ended","at":1795526063910,"side":"first","outcome":{"winner":"second","reason":"resignation","cells":[]}}' AS BLOB));
INSERT INTO "records" VALUES(8,1,CAST('{"schema":2,"kind":"opened","at":1795526063507,"room":"vmcgtyavutasq","game":"gomoku","by":"p-t5pywbfodlxlh","first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human"},"second":null,"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000,"rated":false,"clock":{"initial_ms":600000,"increment_ms":2000},"first_move_ms":60000,"abandoned_ms":600000,"claim_ms":60000},"previous":null}' AS BLOB));
INSERT INTO "records" VALUES(8,2,CAST('{"schema":1,"kind":"joined","at":1795526063546,"side":"second","player":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human"}}' AS BLOB));
INSERT INTO "records" VALUES(8,3,CAST('{"schema":1,"kind":"played","at":1795526063577,"side":"first","turn":0,"move":"d9","spent_ms":31,"compensated_ms":0,"thought_ms":31,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(8,4,CAST('{"schema":1,"kind":"played","at":1795526063589,"side":"second","turn":1,"move":"a9","spent_ms":12,"compensated_ms":0,"thought_ms":12,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(8,5,CAST('{"schema":1,"kind":"played","at":1795526063600,"side":"first","turn":2,"move":"c13","spent_ms":11,"compensated_ms":10,"thought_ms":1,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(8,6,CAST('{"schema":1,"kind":"played","at":1795526063608,"side":"second","turn":3,"move":"a4","spent_ms":8,"compensated_ms":3,"thought_ms":5,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(8,7,CAST('{"schema":1,"kind":"offered","at":1795526063617,"side":"second","offer":"takeback"}' AS BLOB));
INSERT INTO "records" VALUES(8,8,CAST('{"schema":1,"kind":"taken_back","at":1795526063633,"side":"first","plies":1}' AS BLOB));
INSERT INTO "records" VALUES(9,1,CAST('{"schema":2,"kind":"opened","at":1795526063651,"room":"sei2gqux56lup","game":"ultimate","by":"p-t5pywbfodlxlh","first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human"},"second":null,"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000,"rated":false,"clock":{"initial_ms":600000,"increment_ms":2000},"first_move_ms":60000,"abandoned_ms":600000,"claim_ms":60000},"previous":null}' AS BLOB));
INSERT INTO "records" VALUES(9,2,CAST('{"schema":1,"kind":"joined","at":1795526063669,"side":"second","player":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human"}}' AS BLOB));
INSERT INTO "records" VALUES(9,3,CAST('{"schema":1,"kind":"played","at":1795526063673,"side":"first","turn":0,"move":"h1","spent_ms":4,"compensated_ms":0,"thought_ms":4,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(9,4,CAST('{"schema":1,"kind":"played","at":1795526063685,"side":"second","turn":1,"move":"e2","spent_ms":12,"compensated_ms":0,"thought_ms":12,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(9,5,CAST('{"schema":1,"kind":"played","at":1795526063713,"side":"first","turn":2,"move":"d4","spent_ms":27,"compensated_ms":10,"thought_ms":17,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(9,6,CAST('{"schema":1,"kind":"played","at":1795526063716,"side":"second","turn":3,"move":"c2","spent_ms":3,"compensated_ms":3,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(9,7,CAST('{"schema":1,"kind":"played","at":1795526063717,"side":"first","turn":4,"move":"g6","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(9,8,CAST('{"schema":1,"kind":"played","at":1795526063718,"side":"second","turn":5,"move":"a7","spent_ms":1,"compensated_ms":1,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(9,9,CAST('{"schema":1,"kind":"played","at":1795526063761,"side":"first","turn":6,"move":"b3","spent_ms":43,"compensated_ms":10,"thought_ms":33,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(9,10,CAST('{"schema":1,"kind":"played","at":1795526063779,"side":"second","turn":7,"move":"f8","spent_ms":18,"compensated_ms":3,"thought_ms":15,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(9,11,CAST('{"schema":1,"kind":"ended","at":1795526063911,"side":"first","outcome":{"winner":"second","reason":"resignation","cells":[]}}' AS BLOB));
INSERT INTO "records" VALUES(10,1,CAST('{"schema":2,"kind":"opened","at":1795526063781,"room":"yutt7vem575n6","game":"ultimate","by":"p-t5pywbfodlxlh","first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human"},"second":null,"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000,"rated":false,"clock":{"initial_ms":600000,"increment_ms":2000},"first_move_ms":60000,"abandoned_ms":600000,"claim_ms":60000},"previous":null}' AS BLOB));
INSERT INTO "records" VALUES(10,2,CAST('{"schema":1,"kind":"joined","at":1795526063809,"side":"second","player":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human"}}' AS BLOB));
INSERT INTO "records" VALUES(10,3,CAST('{"schema":1,"kind":"played","at":1795526063846,"side":"first","turn":0,"move":"d6","spent_ms":36,"compensated_ms":0,"thought_ms":36,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(10,4,CAST('{"schema":1,"kind":"played","at":1795526063865,"side":"second","turn":1,"move":"a7","spent_ms":19,"compensated_ms":0,"thought_ms":19,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(10,5,CAST('{"schema":1,"kind":"played","at":1795526063891,"side":"first","turn":2,"move":"b3","spent_ms":26,"compensated_ms":10,"thought_ms":16,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(10,6,CAST('{"schema":1,"kind":"played","at":1795526063894,"side":"second","turn":3,"move":"d7","spent_ms":3,"compensated_ms":3,"thought_ms":0,"outcome":null}' AS BLOB));
INSERT INTO "records" VALUES(10,7,CAST('{"schema":1,"kind":"offered","at":1795526063897,"side":"second","offer":"takeback"}' AS BLOB));
INSERT INTO "records" VALUES(10,8,CAST('{"schema":1,"kind":"taken_back","at":1795526063903,"side":"first","plies":1}' AS BLOB));
CREATE TABLE results (
    room TEXT NOT NULL PRIMARY KEY, -- its id
    game TEXT NOT NULL,
    first TEXT NOT NULL, -- the player's id
    second TEXT NOT NULL,
    winner TEXT, -- 'first', 'second', or NULL for a draw
    reason TEXT NOT NULL,
    public INTEGER NOT NULL,
    pool TEXT, -- NULL: the game is not rated
    ended_at INTEGER NOT NULL, -- ms since the epoch
    position INTEGER) WITHOUT ROWID;
INSERT INTO "results" VALUES('6xkzfk74bgbwn','connect4','p-t5pywbfodlxlh','p-v3p6ipkjxn57d',NULL,'draw',1,NULL,1795526063269,NULL);
INSERT INTO "results" VALUES('m7r2uvvpkw7ty','tictactoe','p-t5pywbfodlxlh','p-v3p6ipkjxn57d','first','line',1,NULL,1795526063085,NULL);
INSERT INTO "results" VALUES('sei2gqux56lup','ultimate','p-t5pywbfodlxlh','p-v3p6ipkjxn57d','second','resignation',1,NULL,1795526063911,NULL);
INSERT INTO "results" VALUES('tcfbbcav7dlra','reversi','p-t5pywbfodlxlh','p-v3p6ipkjxn57d','second','resignation',1,NULL,1795526063909,NULL);
INSERT INTO "results" VALUES('ujcdnlcvtv2ef','gomoku','p-t5pywbfodlxlh','p-v3p6ipkjxn57d','second','resignation',1,NULL,1795526063910,NULL);
CREATE TABLE reviews (
    room TEXT NOT NULL PRIMARY KEY, -- its id
    engine TEXT NOT NULL, -- the version that made it
    seconds REAL NOT NULL, -- the longest search of a position
    review BLOB NOT NULL
);
CREATE TABLE rooms (
    number INTEGER PRIMARY KEY,
    room TEXT NOT NULL UNIQUE,
    changed INTEGER NOT NULL, -- the greater, the later the room changed
    game TEXT NOT NULL,
    opened_by TEXT NOT NULL,
    status TEXT NOT NULL,
    public INTEGER NOT NULL,
    due_at INTEGER,
    thinking INTEGER NOT NULL,
    attended INTEGER NOT NULL,
    listing BLOB NOT NULL
, opener BLOB, sleeps INTEGER NOT NULL DEFAULT 0, first TEXT, second TEXT);
INSERT INTO "rooms" VALUES(1,'m7r2uvvpkw7ty',9,'tictactoe','p-t5pywbfodlxlh','over',1,NULL,0,0,CAST('{"room":"m7r2uvvpkw7ty","game":"tictactoe","status":"over","seats":{"first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human","online":true},"second":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human","online":true}},"options":{"private":false,"rated":false,"clock":{"initial_s":600,"increment_s":2}},"outcome":{"winner":"first","reason":"line","cells":["3","6","9"]}}' AS BLOB),NULL,0,'p-t5pywbfodlxlh','p-v3p6ipkjxn57d');
INSERT INTO "rooms" VALUES(2,'ijjjpt6vykuj5',17,'tictactoe','p-t5pywbfodlxlh','playing',1,1795526664114,0,1,CAST('{"room":"ijjjpt6vykuj5","game":"tictactoe","status":"playing","seats":{"first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human","online":true},"second":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human","online":true}},"options":{"private":false,"rated":false,"clock":{"initial_s":600,"increment_s":2}}}' AS BLOB),X'5B2E369301983D475BD5DFB9106A8867',0,'p-t5pywbfodlxlh','p-v3p6ipkjxn57d');
INSERT INTO "rooms" VALUES(3,'6xkzfk74bgbwn',61,'connect4','p-t5pywbfodlxlh','over',1,NULL,0,0,CAST('{"room":"6xkzfk74bgbwn","game":"connect4","status":"over","seats":{"first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human","online":true},"second":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human","online":true}},"options":{"private":false,"rated":false,"clock":{"initial_s":600,"increment_s":2}},"outcome":{"winner":null,"reason":"draw","cells":[]}}' AS BLOB),NULL,0,'p-t5pywbfodlxlh','p-v3p6ipkjxn57d');
INSERT INTO "rooms" VALUES(4,'vzizx5a3ajapv',69,'connect4','p-t5pywbfodlxlh','playing',1,1795526664301,0,1,CAST('{"room":"vzizx5a3ajapv","game":"connect4","status":"playing","seats":{"first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human","online":true},"second":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human","online":true}},"options":{"private":false,"rated":false,"clock":{"initial_s":600,"increment_s":2}}}' AS BLOB),X'5B2E369301983D475BD5DFB9106A8867',0,'p-t5pywbfodlxlh','p-v3p6ipkjxn57d');
INSERT INTO "rooms" VALUES(5,'tcfbbcav7dlra',124,'reversi','p-t5pywbfodlxlh','over',1,NULL,0,0,CAST('{"room":"tcfbbcav7dlra","game":"reversi","status":"over","seats":{"first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human","online":true},"second":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human","online":true}},"options":{"private":false,"rated":false,"clock":{"initial_s":600,"increment_s":2}},"outcome":{"winner":"second","reason":"resignation","cells":[]}}' AS BLOB),NULL,0,'p-t5pywbfodlxlh','p-v3p6ipkjxn57d');
INSERT INTO "rooms" VALUES(6,'ldagzftmbf5kw',87,'reversi','p-t5pywbfodlxlh','playing',1,1795526664361,0,1,CAST('{"room":"ldagzftmbf5kw","game":"reversi","status":"playing","seats":{"first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human","online":true},"second":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human","online":true}},"options":{"private":false,"rated":false,"clock":{"initial_s":600,"increment_s":2}}}' AS BLOB),X'5B2E369301983D475BD5DFB9106A8867',0,'p-t5pywbfodlxlh','p-v3p6ipkjxn57d');
INSERT INTO "rooms" VALUES(7,'ujcdnlcvtv2ef',125,'gomoku','p-t5pywbfodlxlh','over',1,NULL,0,0,CAST('{"room":"ujcdnlcvtv2ef","game":"gomoku","status":"over","seats":{"first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human","online":true},"second":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human","online":true}},"options":{"private":false,"rated":false,"clock":{"initial_s":600,"increment_s":2}},"outcome":{"winner":"second","reason":"resignation","cells":[]}}' AS BLOB),NULL,0,'p-t5pywbfodlxlh','p-v3p6ipkjxn57d');
INSERT INTO "rooms" VALUES(8,'vmcgtyavutasq',105,'gomoku','p-t5pywbfodlxlh','playing',1,1795526664633,0,1,CAST('{"room":"vmcgtyavutasq","game":"gomoku","status":"playing","seats":{"first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human","online":true},"second":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human","online":true}},"options":{"private":false,"rated":false,"clock":{"initial_s":600,"increment_s":2}}}' AS BLOB),X'5B2E369301983D475BD5DFB9106A8867',0,'p-t5pywbfodlxlh','p-v3p6ipkjxn57d');
INSERT INTO "rooms" VALUES(9,'sei2gqux56lup',126,'ultimate','p-t5pywbfodlxlh','over',1,NULL,0,0,CAST('{"room":"sei2gqux56lup","game":"ultimate","status":"over","seats":{"first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human","online":true},"second":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human","online":true}},"options":{"private":false,"rated":false,"clock":{"initial_s":600,"increment_s":2}},"outcome":{"winner":"second","reason":"resignation","cells":[]}}' AS BLOB),NULL,0,'p-t5pywbfodlxlh','p-v3p6ipkjxn57d');
INSERT INTO "rooms" VALUES(10,'yutt7vem575n6',123,'ultimate','p-t5pywbfodlxlh','playing',1,1795526664903,0,1,CAST('{"room":"yutt7vem575n6","game":"ultimate","status":"playing","seats":{"first":{"id":"p-t5pywbfodlxlh","name":"ann","kind":"human","online":true},"second":{"id":"p-v3p6ipkjxn57d","name":"ben","kind":"human","online":true}},"options":{"private":false,"rated":false,"clock":{"initial_s":600,"increment_s":2}}}' AS BLOB),X'5B2E369301983D475BD5DFB9106A8867',0,'p-t5pywbfodlxlh','p-v3p6ipkjxn57d');
CREATE TABLE secret (secret BLOB NOT NULL);
INSERT INTO "secret" VALUES(X'2B3E63A39DF34F80FE05BAE30E5F374406B0632EB14056ACB72D592D0BC32D3C');
CREATE TABLE seeks (
    player TEXT NOT NULL PRIMARY KEY,
    key TEXT NOT NULL,
    game TEXT NOT NULL,
    terms TEXT NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    since INTEGER NOT NULL, -- ms since the epoch, as all times here
    until INTEGER NOT NULL, -- when it waits no more, unless it is kept
    room TEXT, -- that it was paired in
    paired_at INTEGER
) WITHOUT ROWID;
CREATE TABLE tokens (
    hash BLOB NOT NULL PRIMARY KEY, -- SHA-256
    player TEXT NOT NULL,
    label TEXT NOT NULL,
    added INTEGER NOT NULL, -- ms since the epoch, as all times here; 0 if it is not known
    used INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "tokens" VALUES(X'C91A5970E6D878DFD2D0FEE5D0C0A84A33A4060E4AD7CFCBF9A64AC6DBD4FB6E','p-t5pywbfodlxlh','',1795526062913,1795526062913);
INSERT INTO "tokens" VALUES(X'F587D6DF803E91D1DF775F837E25B580713C2399658E74D907B94E5E7985F86D','p-v3p6ipkjxn57d','',1795526062960,1795526062960);
CREATE INDEX rooms_due ON rooms (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX rooms_opened ON rooms (opened_by) WHERE status <> 'over';
CREATE INDEX rooms_listed ON rooms (changed) WHERE public AND status <> 'over';
CREATE INDEX rooms_listed_by_game ON rooms (game, changed) WHERE public AND status <> 'over';
CREATE INDEX rooms_attended ON rooms (room) WHERE attended AND status <> 'over';
CREATE INDEX rooms_thinking ON rooms (changed) WHERE thinking AND status <> 'over';
CREATE INDEX results_ended ON results (ended_at, room);
CREATE INDEX results_of_first ON results (first, ended_at, room);
CREATE INDEX results_of_second ON results (second, ended_at, room);
CREATE INDEX ratings_best ON ratings (game, pool, rating DESC, player);
CREATE INDEX seeks_waiting ON seeks (game, terms, since, player) WHERE room IS NULL;
CREATE INDEX seeks_paired ON seeks (paired_at) WHERE room IS NOT NULL;
CREATE UNIQUE INDEX results_in_rating_order ON results (position) WHERE position IS NOT NULL;
CREATE INDEX results_never_rated ON results (ended_at, room) WHERE pool IS NOT NULL AND position IS NULL;
CREATE INDEX rooms_of_first ON rooms (first, number) WHERE first IS NOT NULL AND status <> 'over';
CREATE INDEX rooms_of_second ON rooms (second, number) WHERE second IS NOT NULL AND status <> 'over';
CREATE INDEX seeks_by_time ON seeks (since, player) WHERE room IS NULL;
CREATE INDEX tokens_of_player ON tokens (player);
CREATE INDEX players_greeted ON players (greeted) WHERE NOT seated;
CREATE INDEX players_named ON players (name_key);
CREATE UNIQUE INDEX players_registered ON players (name_key) WHERE registered;
CREATE INDEX players_changed ON players (changed) WHERE changed IS NOT NULL;
CREATE TRIGGER players_forgotten AFTER DELETE ON players BEGIN
    DELETE FROM tokens WHERE player = OLD.id;
    DELETE FROM codes WHERE player = OLD.id;
END;
COMMIT;
