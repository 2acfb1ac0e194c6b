import assert from 'node:assert/strict'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'

/** What became of a stream of requests and of a WebSocket. */
export interface Requested {
  readonly sent: number
  readonly seconds: number
  /** A kept connection was closed while it was idle; the request was repeated once. */
  readonly repeated: number
  /** Messages that were heard over the WebSocket. */
  readonly messages: number
  /** The WebSocket ended and was opened again. */
  readonly cuts: number
  /** Why a request failed or the WebSocket could not be opened, each once. */
  readonly failures: readonly string[]
}

export interface Asked {
  readonly url: string
  /** The whole body of each answer. */
  readonly body: string
  /** Domain of a WebSocket that speaks by itself, as `serveSocket` has one. */
  readonly socket: string
  /** As many as the machine has time for, at most. */
  readonly perSecond: number
}

const [OVER, STARTED] = ['/run/requests-over', '/run/requests-on']
/** Threads that keep their connection; one more takes a fresh one for each of its requests. */
const KEPT = 5

/** A WebSocket on the loopback of a host which sends a message five times a second. */
export const serveSocket = (host: Host, port: number): Promise<string> =>
  host.run([
    'systemd-run',
    '--quiet',
    '--collect',
    '--unit=socket-server',
    '--',
    'python3',
    '-c',
    SERVER,
    String(port),
  ])

/** Asks again and again, by the resolver and the trust of the host, and listens to a WebSocket, until it is ended. */
export async function startRequests(from: Host, asked: Asked): Promise<() => Promise<Requested>> {
  await from.run(['rm', '-f', OVER, STARTED])
  const words = [OVER, STARTED, asked.url, asked.body, asked.socket, String(asked.perSecond), String(KEPT)]
  const client = from.run(['python3', '-c', CLIENT, ...words], { timeoutSeconds: 500 })
  client.catch(() => undefined)
  const isOn = async () => ((await from.attempt(['test', '-e', STARTED])).status === 0 ? true : undefined)
  assert.ok(await waitFor(30, isOn), 'the WebSocket said nothing')
  return async () => {
    await from.run(['touch', OVER])
    return JSON.parse(await client) as Requested // The program below prints it.
  }
}

const SERVER = `import base64, hashlib, socketserver, sys, time
class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        head = b''
        while b'\\r\\n\\r\\n' not in head:
            piece = self.request.recv(4096)
            if not piece: return
            head += piece
        key = [line.split(b': ', 1)[1] for line in head.split(b'\\r\\n') if line.lower().startswith(b'sec-websocket-key: ')][0]
        proof = base64.b64encode(hashlib.sha1(key + b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest())
        self.request.sendall(b'HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + proof + b'\\r\\n\\r\\n')
        try:
            while True:
                self.request.sendall(b'\\x81\\x04tick')
                time.sleep(0.2)
        except OSError: pass
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
Server(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()`

const CLIENT = `import http.client, json, os, socket, ssl, sys, threading, time, urllib.parse
over, on, url, body, ws, rate, kept = *sys.argv[1:6], float(sys.argv[6]), int(sys.argv[7])
url, context, lock = urllib.parse.urlparse(url), ssl.create_default_context(), threading.Lock()
told = {'sent': 0, 'repeated': 0, 'messages': 0, 'cuts': 0, 'failures': []}
began, isOver = time.time(), False
def note(what, error):
    text = '%s: %r' % (what, error)
    with lock:
        if text not in told['failures']: told['failures'].append(text)
def count(what):
    with lock: told[what] += 1
def ask(connection):
    connection.request('GET', url.path)
    answer = connection.getresponse()
    said = answer.read().decode()
    if answer.status != 200 or said != body: raise RuntimeError('%d %s' % (answer.status, said[:80]))
def visit(isKept):
    connection, due, pause = None, time.time(), (kept + 1) / rate
    while not isOver:
        due = max(due + pause, time.time() - 1)
        time.sleep(max(0, due - time.time()))
        isFresh = connection is None or not isKept
        if isFresh: connection = http.client.HTTPSConnection(url.hostname, timeout=20, context=context)
        count('sent')
        try:
            try: ask(connection)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                if isFresh: raise
                count('repeated')
                connection.close()
                ask(connection)
        except Exception as error:
            note('a fresh request' if isFresh else 'a kept request', error)
            connection.close()
            connection = None
        if connection is not None and not isKept: connection.close()
def listen():
    while not isOver:
        try:
            raw = socket.create_connection((ws, 443), timeout=20)
            stream = context.wrap_socket(raw, server_hostname=ws)
            stream.sendall(('GET / HTTP/1.1\\r\\nHost: %s\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n' % ws).encode())
            reader = stream.makefile('rb')
            status = reader.readline()
            if b' 101 ' not in status: raise RuntimeError(status)
            while reader.readline() != b'\\r\\n': pass
        except Exception as error:
            note('the WebSocket', error)
            time.sleep(0.5)
            continue
        try:
            while not isOver:
                frame = reader.read(6)
                if frame != b'\\x81\\x04tick': break
                count('messages')
                open(on, 'w').close()
        except OSError: pass
        if not isOver: count('cuts')
        stream.close()
threads = [threading.Thread(target=visit, args=(at < kept,)) for at in range(kept + 1)] + [threading.Thread(target=listen)]
for thread in threads: thread.start()
while not os.path.exists(over): time.sleep(0.1)
told['seconds'], isOver = time.time() - began, True
for thread in threads: thread.join()
print(json.dumps(told))`
