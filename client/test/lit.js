// What lit-html asks of a document when it is loaded: nothing is drawn in these tests.
Object.assign(globalThis, { document: { createTreeWalker() {}, createComment() {} } });
