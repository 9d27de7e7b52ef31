// The page's Python, in a worker: files in memory, the calls of WASI that CPython makes, and the messages that README.md documents.
// The page passes this function on as text, since a page opened from a folder may not start a worker from a file.
window.runInPage.worker = function () {
  "use strict";
  const OK = 0, BAD_FILE = 8, EXISTS = 20, INVALID = 28, IS_FOLDER = 31, NOT_THERE = 44, NO_CALL = 52, NO_FOLDER = 54, NOT_EMPTY = 55, NO_SEEK = 70;
  const ALL = 0xffffffffffffffffn, HOME = "/usr/local/lib", MOST = 500000;
  const encode = (text) => new TextEncoder().encode(text);
  let inodes = 0, exports = null, memory = null, current = null;

  // ---- Files. A node has entries, or data and size, or says what is written to it. The kind of streams is not told: none is a terminal.
  const folder = (entries = {}) => ({ entries: new Map(Object.entries(entries)), id: ++inodes });
  const file = (data = new Uint8Array()) => ({ data, size: data.length, id: ++inodes });
  const open = new Map(), kind = (node) => (node.entries ? 3 : node.data ? 4 : 0);
  // What lies at a path: the folder that holds it, its name, and the node, if there is one.
  const find = (start, path) => {
    let node = start, holder = start, name = "";
    const above = [];
    for (const part of path.split("/").filter((one) => one && one !== ".")) {
      if (!node?.entries) return { error: node ? NO_FOLDER : NOT_THERE };
      if (part === "..") node = above.pop() ?? node;
      else {
        above.push(node);
        [holder, name, node] = [node, part, node.entries.get(part)];
      }
    }
    return { holder, name, node };
  };
  const resize = (node, size) => {
    if (size > node.data.length) {
      const larger = new Uint8Array(Math.max(size, 2 * node.data.length));
      larger.set(node.data.subarray(0, node.size));
      node.data = larger;
    }
    node.data.fill(0, Math.min(size, node.size), node.size);
    node.size = size;
  };
  // Text is sent on in pieces, after its beginning not for every word; what floods the page is cut.
  const streams = ["out", "err"].map((stream) => {
    const decoder = new TextDecoder(), self = { held: "", sent: 0, last: 0 };
    self.flush = () => {
      if (self.held && self.sent < MOST) postMessage({ id: current, [stream]: self.sent + self.held.length < MOST ? self.held : `${self.held.slice(0, MOST - self.sent)}\n(More is not shown.)\n` });
      self.sent += self.held.length;
      [self.held, self.last] = ["", performance.now()];
    };
    self.say = (bytes) => {
      self.held += decoder.decode(bytes, { stream: true });
      if (self.sent < 4000 || self.held.length > 4000 || performance.now() - self.last > 20) self.flush();
    };
    return self;
  });

  // ---- Memory.
  const view = () => new DataView(memory.buffer);
  const bytes = (at, length) => new Uint8Array(memory.buffer, at >>> 0, length);
  const text = (at, length) => new TextDecoder().decode(bytes(at, length).slice());
  const u32 = (at, value) => (view().setUint32(at, value, true), OK);
  const u64 = (at, value) => (view().setBigUint64(at, BigInt(value), true), OK);
  const vectors = (at, count) => Array.from({ length: count }, (_, k) => bytes(view().getUint32(at + 8 * k, true), view().getUint32(at + 8 * k + 4, true)));
  const stat = (node, at) => {
    view().setUint8(bytes(at, 64).fill(0).byteOffset + 16, kind(node));
    return u64(at + 8, node.id ?? 0) || u64(at + 24, 1) || u64(at + 32, node.size ?? 0);
  };
  const strings = (list) => ({
    get: (pointers, at) => list.reduce((place, one, k) => {
      u32(pointers + 4 * k, place);
      bytes(place, one.length + 1).set(encode(`${one}\0`));
      return place + one.length + 1;
    }, at) && OK,
    sizes: (count, size) => u32(count, list.length) || u32(size, list.join(" ").length + 1),
  });
  const args = strings(["/usr/local/bin/python.wasm", "/lib.zip"]), environ = strings(["TMPDIR=/tmp", "PYTHONTZPATH=", "HOME=/tmp/home", "MPLCONFIGDIR=/tmp/home/.config/matplotlib"]);
  const on = (act) => (fd, ...more) => (open.has(fd) ? act(open.get(fd), ...more) : BAD_FILE);
  const below = (act) => on((opened, at, length, ...more) => {
    const found = find(opened.node, text(at, length));
    return found.error ?? act(found, ...more);
  });
  const read = ({ node }, at, list, done) => list.reduce((from, target) => {
    const part = (node.data ?? new Uint8Array()).subarray(from, Math.min(node.size ?? 0, from + target.length));
    target.set(part);
    u32(done, from + part.length - at);
    return from + part.length;
  }, at);
  const write = ({ node }, at, list, done) => list.reduce((to, source) => {
    if (!node.say && to + source.length > node.size) resize(node, to + source.length);
    if (node.say) node.say(source.slice());
    else node.data.set(source, to);
    u32(done, to + source.length - at);
    return to + source.length;
  }, at);

  // ---- The calls of wasi_snapshot_preview1.
  class Exit extends Error {}
  const wasi = {
    args_get: args.get, args_sizes_get: args.sizes, environ_get: environ.get, environ_sizes_get: environ.sizes,
    clock_res_get: (id, at) => u64(at, 1000),
    clock_time_get: (id, precision, at) => u64(at, Math.round((id ? performance.now() : Date.now()) * 1e6)),
    random_get: (at, length) => {
      for (let k = 0; k < length; k += 65536) crypto.getRandomValues(bytes(at + k, Math.min(65536, length - k)));
      return OK;
    },
    proc_exit: (code) => { throw new Exit(code); },
    // Only clocks are waited for. There is nothing else to do meanwhile, and Stop ends the worker.
    poll_oneoff: (asked, events, count, done) => {
      const tag = view().getUint8(asked + 8), wait = Number(view().getBigUint64(asked + 24, true)) / 1e6;
      const until = view().getUint16(asked + 40, true) & 1 ? wait : performance.now() + wait;
      while (!tag && performance.now() < until);
      bytes(events, 32).fill(0).set(bytes(asked, 8));
      view().setUint8(events + 10, tag);
      return u32(done, 1);
    },
    fd_close: (fd) => (fd < 6 || open.delete(fd) ? OK : BAD_FILE),
    fd_fdstat_get: on(({ node }, at) => u64(at, kind(node)) || u64(at + 8, ALL) || u64(at + 16, ALL)),
    fd_filestat_get: on(({ node }, at) => stat(node, at)),
    fd_filestat_set_size: on(({ node }, size) => resize(node, Number(size)) ?? OK),
    fd_prestat_get: on(({ preopened }, at) => (preopened ? u32(at, 0) || u32(at + 4, preopened.length) : BAD_FILE)),
    fd_prestat_dir_name: on(({ preopened }, at, length) => (bytes(at, length).set(encode(preopened)), OK)),
    fd_read: on((opened, at, count, done) => (opened.node.entries ? IS_FOLDER : ((opened.at = read(opened, opened.at, vectors(at, count), done)), OK))),
    fd_pread: on((opened, at, count, from, done) => (read(opened, Number(from), vectors(at, count), done), OK)),
    fd_write: on((opened, at, count, done) => ((opened.at = write(opened, opened.append ? opened.node.size : opened.at, vectors(at, count), done)), OK)),
    fd_seek: on((opened, offset, whence, at) => {
      if (!opened.node.data) return NO_SEEK;
      opened.at = Number(offset) + [0, opened.at, opened.node.size][whence];
      return u64(at, opened.at);
    }),
    fd_tell: on((opened, at) => u64(at, opened.at)),
    fd_readdir: on(({ node }, at, length, cookie, used) => {
      let full = 0;
      [...(node.entries ?? [])].slice(Number(cookie)).some(([name, entry], k) => {
        const label = encode(name), head = new BigUint64Array([cookie + BigInt(k + 1), BigInt(entry.id), BigInt(label.length) | (BigInt(kind(entry)) << 32n)]);
        const part = [...new Uint8Array(head.buffer), ...label].slice(0, length - full);
        bytes(at + full, part.length).set(part);
        full += part.length;
        return full === length;
      });
      return u32(used, full);
    }),
    path_open: (fd, follow, at, length, how, rights, inherited, flags, opened) => below((found) => {
      const [create, only, exclusive, cut] = [1, 2, 4, 8].map((bit) => how & bit);
      if (found.node ? create && exclusive : !create) return found.node ? EXISTS : NOT_THERE;
      if (found.node && only && !found.node.entries) return NO_FOLDER;
      if (!found.node) found.holder.entries.set(found.name, (found.node = file()));
      if (cut) resize(found.node, 0);
      let free = 6;
      while (open.has(free)) free += 1;
      open.set(free, { node: found.node, at: 0, append: flags & 1 });
      return u32(opened, free);
    })(fd, at, length),
    path_filestat_get: (fd, follow, at, length, to) => below(({ node }) => (node ? stat(node, to) : NOT_THERE))(fd, at, length),
    path_create_directory: below(({ holder, name, node }) => (node ? EXISTS : (holder.entries.set(name, folder()), OK))),
    path_unlink_file: below(({ holder, name, node }) => (!node ? NOT_THERE : node.entries ? IS_FOLDER : (holder.entries.delete(name), OK))),
    path_remove_directory: below(({ holder, name, node }) => !node ? NOT_THERE : !node.entries ? NO_FOLDER : node.entries.size ? NOT_EMPTY : (holder.entries.delete(name), OK)),
    path_rename: (fd, at, length, ...to) => below(({ holder, name, node }) => !node ? NOT_THERE
      : below((target) => (holder.entries.delete(name), target.holder.entries.set(target.name, node), OK))(...to))(fd, at, length),
    path_readlink: () => INVALID, // nothing is a link
  };
  for (const name of ["fd_advise", "fd_datasync", "fd_sync", "fd_fdstat_set_flags", "fd_filestat_set_times", "path_filestat_set_times", "sched_yield"]) wasi[name] = () => OK;
  const imports = { wasi_snapshot_preview1: new Proxy(wasi, { get: (calls, name) => calls[name] ?? (() => NO_CALL) }), host: { call: () => -1 } };

  // ---- Python.
  const tmp = folder({ home: folder() });
  const turn = (code) => {
    const data = encode(code), at = exports.host_alloc(data.length) >>> 0;
    bytes(at, data.length).set(data);
    streams.forEach((stream) => { stream.sent = 0; });
    const status = exports.turn(at, data.length);
    streams.forEach((stream) => stream.flush());
    return status;
  };
  const boot = async ({ module, stdlib, plotting, lib }) => {
    tmp.entries.set("plotting.zip", file(plotting));
    const root = folder({ tmp, "lib.zip": file(lib), usr: folder({ local: folder({ lib: folder() }) }) }), fonts = `${HOME}/python315.zip/matplotlib/mpl-data`;
    [[{}], ...streams.map((stream) => [stream]), [folder({ "python315.zip": file(stdlib) }), HOME], [folder(), fonts], [root, "/"]].forEach(([node, preopened], fd) => open.set(fd, { node, preopened, at: 0 }));
    ({ exports } = await WebAssembly.instantiate(module, imports));
    memory = exports.memory;
    // The engine remembers the table of contents of the library it was made with; the page's is smaller, so it is read anew.
    if (turn(`import sys, zipimport
zipimport._zip_directory_cache.clear()
for one in list(sys.path_importer_cache.values()):
    if hasattr(one, "archive"): one.invalidate_caches()
import json, os, zipfile
zipfile.ZipFile("/tmp/plotting.zip").extractall("${fonts}")
os.remove("/tmp/plotting.zip")
import run_in_page_guest`)) throw new Error("Python did not start");
    return { ready: true };
  };
  const run = ({ run: code, name = "<cell>", alone = false, before = "", check = "" }) => {
    turn(`run_in_page_guest.run(**json.loads(${JSON.stringify(JSON.stringify({ name, code, alone, before, check }))}))`);
    const { data, size } = tmp.entries.get("result.json");
    return { result: JSON.parse(new TextDecoder().decode(data.subarray(0, size))) };
  };
  self.onmessage = async ({ data }) => {
    current = data.id;
    try {
      postMessage({ id: data.id, ...(data.boot ? await boot(data.boot) : run(data)) });
    } catch (problem) {
      postMessage({ id: data.id, failed: problem instanceof Exit ? "the program ended it" : String(problem?.message ?? problem) });
    }
  };
};
