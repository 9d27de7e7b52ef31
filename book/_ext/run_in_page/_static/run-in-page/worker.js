// The page's Python, in a worker: files in memory, the calls of WASI that CPython makes, and the messages that README.md documents.
// The page passes this function on as text, since a page opened from a folder may not start a worker from a file.
window.runInPage.worker = function () {
  "use strict";
  const OK = 0, BAD_FILE = 8, EXISTS = 20, INVALID = 28, IS_FOLDER = 31, NOT_THERE = 44, NO_SYSTEM = 52, NO_FOLDER = 54, NOT_EMPTY = 55;
  const FOLDER = 3, PLAIN = 4;
  const encode = (text) => new TextEncoder().encode(text);
  const folder = (entries = {}) => ({ entries: new Map(Object.entries(entries)), id: ++inodes });
  const file = (data = new Uint8Array()) => ({ data, size: data.length, id: ++inodes });
  let inodes = 0, exports = null, memory = null, current = null;

  // ---- files
  const kind = (node) => (node.entries ? FOLDER : node.say || node.empty ? 0 : PLAIN);
  const open = new Map();
  const say = (stream) => {
    const decoder = new TextDecoder();
    return (bytes) => postMessage({ id: current, [stream]: decoder.decode(bytes, { stream: true }) });
  };
  // The folder that holds what a path leads to, the last name, and what stands there, if anything.
  const find = (start, path) => {
    let at = start, holder = start, name = "";
    const above = [];
    for (const part of path.split("/")) {
      if (!part || part === ".") continue;
      if (!at?.entries) return { error: at ? NO_FOLDER : NOT_THERE };
      if (part === "..") {
        at = above.pop() ?? at;
        continue;
      }
      above.push(at);
      [holder, name, at] = [at, part, at.entries.get(part)];
    }
    return { holder, name, node: at };
  };
  const grow = (node, size) => {
    if (size > node.data.length) {
      const larger = new Uint8Array(Math.max(size, 2 * node.data.length));
      larger.set(node.data.subarray(0, node.size));
      node.data = larger;
    }
    node.data.fill(0, Math.min(size, node.size), node.size);
    node.size = size;
  };

  // ---- memory
  const view = () => new DataView(memory.buffer);
  const bytes = (at, length) => new Uint8Array(memory.buffer, at >>> 0, length);
  const text = (at, length) => new TextDecoder().decode(bytes(at, length).slice());
  const u32 = (at, value) => view().setUint32(at, value, true);
  const u64 = (at, value) => view().setBigUint64(at, BigInt(value), true);
  const vectors = (at, count) => Array.from({ length: count }, (_, k) =>
    bytes(view().getUint32(at + 8 * k, true), view().getUint32(at + 8 * k + 4, true)));
  const stat = (node, at) => {
    bytes(at, 64).fill(0);
    u64(at + 8, node.id ?? 0);
    view().setUint8(at + 16, kind(node));
    u64(at + 24, 1);
    u64(at + 32, node.size ?? 0);
    return OK;
  };
  const strings = (list) => [
    (pointers, at) => {
      list.forEach((one, k) => {
        const data = encode(one + "\0");
        u32(pointers + 4 * k, at);
        bytes(at, data.length).set(data);
        at += data.length;
      });
      return OK;
    },
    (count, size) => {
      u32(count, list.length);
      u32(size, list.reduce((sum, one) => sum + encode(one).length + 1, 0));
      return OK;
    },
  ];
  const on = (act) => (fd, ...more) => (open.has(fd) ? act(open.get(fd), ...more) : BAD_FILE);
  const read = (opened, at, list, done) => {
    const { node } = opened;
    if (node.entries) return IS_FOLDER;
    let from = at;
    for (const target of node.empty ? [] : list) {
      const part = node.data.subarray(from, Math.min(node.size, from + target.length));
      target.set(part);
      from += part.length;
    }
    u32(done, from - at);
    return from;
  };
  const write = (opened, at, list, done) => {
    let to = at;
    for (const source of list) {
      if (opened.node.say) opened.node.say(source.slice());
      else {
        if (to + source.length > opened.node.size) grow(opened.node, to + source.length);
        opened.node.data.set(source, to);
      }
      to += source.length;
    }
    u32(done, to - at);
    return to;
  };
  const located = (act) => on((opened, at, length, ...more) => {
    const found = find(opened.node, text(at, length));
    return found.error ?? act(found, ...more);
  });
  const [args, argsSizes] = strings(["/usr/local/bin/python.wasm", "/lib.zip"]);
  const [environ, environSizes] = strings(["TMPDIR=/tmp", "PYTHONTZPATH=", "HOME=/tmp/home", "MPLCONFIGDIR=/tmp/home/.config/matplotlib"]);
  class Exit extends Error {}

  const wasi = {
    args_get: args, args_sizes_get: argsSizes, environ_get: environ, environ_sizes_get: environSizes,
    clock_res_get: (id, at) => (u64(at, 1000), OK),
    clock_time_get: (id, precision, at) => (u64(at, Math.round((id ? performance.now() : Date.now()) * 1e6)), OK),
    random_get: (at, length) => {
      for (let k = 0; k < length; k += 65536) crypto.getRandomValues(bytes(at + k, Math.min(65536, length - k)));
      return OK;
    },
    proc_exit: (code) => { throw new Exit(code); },
    // Only clocks are waited for. There is nothing else to do meanwhile, and Stop ends the worker.
    poll_oneoff: (subscribed, events, count, done) => {
      const tag = view().getUint8(subscribed + 8), wait = Number(view().getBigUint64(subscribed + 24, true)) / 1e6;
      const until = (view().getUint16(subscribed + 40, true) & 1 ? wait : performance.now() + wait);
      while (!tag && performance.now() < until);
      bytes(events, 32).fill(0);
      u64(events, view().getBigUint64(subscribed, true));
      view().setUint8(events + 10, tag);
      u32(done, 1);
      return OK;
    },
    fd_close: on((opened) => (opened.close(), OK)),
    fd_fdstat_get: on(({ node }, at) => {
      bytes(at, 24).fill(0);
      view().setUint8(at, kind(node));
      u64(at + 8, 0xffffffffffffffffn);
      u64(at + 16, 0xffffffffffffffffn);
      return OK;
    }),
    fd_filestat_get: on(({ node }, at) => stat(node, at)),
    fd_filestat_set_size: on(({ node }, size) => (grow(node, Number(size)), OK)),
    fd_prestat_get: on(({ preopened }, at) => (preopened ? (u32(at, 0), u32(at + 4, encode(preopened).length), OK) : BAD_FILE)),
    fd_prestat_dir_name: on(({ preopened }, at, length) => (bytes(at, length).set(encode(preopened)), OK)),
    fd_read: on((opened, at, count, done) => {
      const end = read(opened, opened.at, vectors(at, count), done);
      if (opened.node.entries) return end;
      opened.at = end;
      return OK;
    }),
    fd_pread: on((opened, at, count, from, done) => (opened.node.entries ? IS_FOLDER : (read(opened, Number(from), vectors(at, count), done), OK))),
    fd_write: on((opened, at, count, done) => {
      if (opened.append) opened.at = opened.node.size;
      opened.at = write(opened, opened.at, vectors(at, count), done);
      return OK;
    }),
    fd_pwrite: on((opened, at, count, to, done) => (write(opened, Number(to), vectors(at, count), done), OK)),
    fd_seek: on((opened, offset, whence, at) => {
      if (opened.node.say) return 70;
      opened.at = Number(offset) + [0, opened.at, opened.node.size][whence];
      u64(at, opened.at);
      return OK;
    }),
    fd_tell: on((opened, at) => (u64(at, opened.at), OK)),
    fd_readdir: on(({ node }, at, length, cookie, used) => {
      if (!node.entries) return NO_FOLDER;
      let full = 0;
      [...node.entries].slice(Number(cookie)).some(([name, entry], k) => {
        const label = encode(name), data = new Uint8Array(24 + label.length), fields = new DataView(data.buffer);
        fields.setBigUint64(0, cookie + BigInt(k + 1), true);
        fields.setBigUint64(8, BigInt(entry.id), true);
        fields.setUint32(16, label.length, true);
        fields.setUint8(20, kind(entry));
        data.set(label, 24);
        const part = data.subarray(0, length - full);
        bytes(at + full, part.length).set(part);
        full += part.length;
        return full === length;
      });
      u32(used, full);
      return OK;
    }),
    path_open: (fd, follow, at, length, how, rights, inherited, flags, opened) => on(({ node: start }) => {
      const found = find(start, text(at, length));
      if (found.error) return found.error;
      if (found.node && (how & 5) === 5) return EXISTS;
      if (!found.node && !(how & 1)) return NOT_THERE;
      if (found.node && how & 2 && !found.node.entries) return NO_FOLDER;
      if (!found.node) found.holder.entries.set(found.name, (found.node = file()));
      if (how & 8) grow(found.node, 0);
      let free = 3;
      while (open.has(free)) free += 1;
      open.set(free, { node: found.node, at: 0, append: Boolean(flags & 1), close: () => open.delete(free) });
      u32(opened, free);
      return OK;
    })(fd),
    path_filestat_get: (fd, follow, at, length, to) => located(({ node }) => (node ? stat(node, to) : NOT_THERE))(fd, at, length),
    path_create_directory: located(({ holder, name, node }) => (node ? EXISTS : (holder.entries.set(name, folder()), OK))),
    path_unlink_file: located(({ holder, name, node }) => (node ? (node.entries ? IS_FOLDER : (holder.entries.delete(name), OK)) : NOT_THERE)),
    path_remove_directory: located(({ holder, name, node }) =>
      !node ? NOT_THERE : !node.entries ? NO_FOLDER : node.entries.size ? NOT_EMPTY : (holder.entries.delete(name), OK)),
    path_rename: (fd, at, length, to, toAt, toLength) => located(({ holder, name, node }) => (node ? located((target) => {
      holder.entries.delete(name);
      target.holder.entries.set(target.name, node);
      return OK;
    })(to, toAt, toLength) : NOT_THERE))(fd, at, length),
    path_readlink: () => INVALID,
  };
  for (const name of ["fd_advise", "fd_datasync", "fd_sync", "fd_fdstat_set_flags", "fd_filestat_set_times", "path_filestat_set_times", "sched_yield"])
    wasi[name] = () => OK;
  const imports = new Proxy(wasi, { get: (calls, name) => calls[name] ?? (() => NO_SYSTEM) });

  // ---- Python
  const turn = (code) => {
    const data = encode(code), at = exports.host_alloc(data.length) >>> 0;
    bytes(at, data.length).set(data);
    return exports.turn(at, data.length);
  };
  const boot = async ({ module, stdlib, plotting, lib }) => {
    const tmp = folder({ home: folder() }), home = "/usr/local/lib";
    const fonts = folder();
    const root = folder({ tmp, "lib.zip": file(lib), usr: folder({ local: folder({ lib: folder() }) }) });
    const standing = (node, preopened) => ({ node, preopened, at: 0, close() {} });
    [standing({ empty: true, data: new Uint8Array(), size: 0 }), standing({ say: say("out") }), standing({ say: say("err") }),
      standing(folder({ "python315.zip": file(stdlib) }), home), standing(fonts, `${home}/python315.zip/matplotlib/mpl-data`),
      standing(root, "/")].forEach((one, fd) => open.set(fd, one));
    tmp.entries.set("plotting.zip", file(plotting));
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports, host: { call: () => -1 } });
    ({ exports } = instance);
    memory = exports.memory;
    // The engine remembers the table of contents of the library it was made with; the page's is smaller, so it is read anew.
    const status = turn(`import sys, zipimport
zipimport._zip_directory_cache.clear()
for one in list(sys.path_importer_cache.values()):
    if hasattr(one, "archive"): one.invalidate_caches()
import run_in_page_guest, os, zipfile
zipfile.ZipFile("/tmp/plotting.zip").extractall("${home}/python315.zip/matplotlib/mpl-data")

os.remove("/tmp/plotting.zip")
`);
    if (status) throw new Error("Python did not start");
    return tmp;
  };
  let files = null;
  self.onmessage = async ({ data }) => {
    current = data.id;
    try {
      if (data.boot) {
        files = await boot(data.boot);
        postMessage({ id: data.id, ready: true });
        return;
      }
      const { run, name = "<cell>", alone = false, before = "" } = data;
      turn(`import json; run_in_page_guest.run(**json.loads(${JSON.stringify(JSON.stringify({ name, code: run, alone, before }))}))`);
      const { data: said, size } = files.entries.get("result.json");
      postMessage({ id: data.id, result: JSON.parse(new TextDecoder().decode(said.subarray(0, size))) });
    } catch (problem) {
      postMessage({ id: data.id, failed: problem instanceof Exit ? "the program ended Python" : String(problem?.message ?? problem) });
    }
  };
};
