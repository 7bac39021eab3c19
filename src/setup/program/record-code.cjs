/**
 * Loaded before all else in each thread of the node that `code-cache.mjs` starts: keeps the scripts of the program, and writes the code that
 * the engine has of them by then beside them, which is that of the functions that were called.
 */
const { createHash } = require('node:crypto');
const { chmodSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { fileURLToPath } = require('node:url');
const vm = require('node:vm');
const { BroadcastChannel, isMainThread, threadId } = require('node:worker_threads');

const scripts = new Map();

vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    scripts.set(options.filename, this);
  }
};

function write() {
  for (const [url, script] of scripts) {
    const place = `${fileURLToPath(url)}.code`;
    const code = script.createCachedData();
    const digest = createHash('sha256')
      .update(readFileSync(fileURLToPath(url)))
      .update(code)
      .digest();
    // Threads of one kind write the same files.
    const made = `${place}.${process.pid}-${threadId}`;
    writeFileSync(made, Buffer.concat([digest, code]));
    // A node's own files are not for others; these are part of the program.
    chmodSync(made, 0o644);
    renameSync(made, place);
  }
}

const channel = new BroadcastChannel('code of the program');
channel.unref();
if (isMainThread) {
  let threads = 0;
  channel.onmessage = ({ data }) => {
    threads += { here: 1, written: -1 }[data] ?? 0;
    if (data === 'written' && threads === 0) process.send('written', () => process.disconnect());
  };
  process.on('message', () => {
    write();
    channel.postMessage('write');
  });
} else {
  channel.onmessage = ({ data }) => {
    if (data !== 'write') return;
    write();
    channel.postMessage('written');
  };
  channel.postMessage('here');
}
