import assert from 'node:assert/strict'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'

/** What became of what a visitor kept open under one domain, until its name was answered no more. */
export interface Kept {
  /** Downloads that came whole, each read slowly enough for 20 seconds. */
  readonly downloads: number
  /** Downloads that the machine was too busy to read in time, and that ended when their grace was over. */
  readonly overdue: number
  /** Events that were heard. */
  readonly events: number
  /** The stream of events ended and was opened again, as browsers do. */
  readonly cuts: number
  /** Why a download was not whole or a stream could not be opened again, each once. */
  readonly failures: readonly string[]
}

/** Requests that began before a load of the web server have so long to end. */
const GRACE_SECONDS = 30

/** Bytes of a download, in pieces that are read one a second; no buffer on the way holds more than a few of them. */
export const DOWNLOAD = { pieces: 20, pieceBytes: 1024 * 1024 } as const

const OVER = '/run/streams-over'
const STARTED = '/run/streams-on'

/**
 * Keeps a download of `/big.bin` and the events of `/events.php` open under each domain, one after another, by the resolver and the
 * trust of the host. Answers what became of them once it is ended: a download that has begun is read to its end.
 */
export async function startStreams(
  from: Host,
  domains: readonly string[],
): Promise<() => Promise<Readonly<Record<string, Kept>>>> {
  await from.run(['rm', '-f', OVER, ...domains.map((domain) => `${STARTED}-${domain}`)])
  const { pieces, pieceBytes } = DOWNLOAD
  const words = [OVER, STARTED, ...[pieces, pieceBytes, GRACE_SECONDS].map(String), ...domains]
  const client = from.run(['python3', '-c', CLIENT, ...words], { timeoutSeconds: 500 })
  client.catch(() => undefined)
  for (const domain of domains) {
    const isOn = async () =>
      (await from.attempt(['test', '-e', `${STARTED}-${domain}`])).status === 0 ? true : undefined
    assert.ok(await waitFor(30, isOn), `no event of ${domain} was heard`)
  }
  return async () => {
    await from.run(['touch', OVER])
    return JSON.parse(await client) as Readonly<Record<string, Kept>> // The program below prints it.
  }
}

const CLIENT = `import http.client, json, os, socket, ssl, sys, threading, time
over, on, pieces, size, grace, domains = *sys.argv[1:3], *map(int, sys.argv[3:6]), sys.argv[6:]
context, told = ssl.create_default_context(), {}
def goes(domain):
    if os.path.exists(over): return False
    try:
        socket.getaddrinfo(domain, 443, socket.AF_INET)
        return True
    except socket.gaierror:
        return False
def opened(domain, path):
    connection = http.client.HTTPSConnection(domain, timeout=30, context=context)
    connection.connect()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    connection.request('GET', path)
    answer = connection.getresponse()
    if answer.status != 200: raise RuntimeError('%s answered %d' % (path, answer.status))
    return answer
def note(kept, what, error):
    text = '%s: %r' % (what, error)
    if text not in kept['failures']: kept['failures'].append(text)
def download(domain, kept):
    while goes(domain):
        read, began = 0, time.time()
        try:
            answer = opened(domain, '/big.bin')
            for piece in range(pieces):
                part = answer.read(size)
                read += len(part)
                if len(part) != size: raise RuntimeError('ended early, at %s' % time.strftime('%H:%M:%S'))
                time.sleep(max(0, began + piece + 1 - time.time()))
            kept['downloads'] += 1
        except Exception as error:
            seconds = time.time() - began
            if read > 0 and seconds >= grace: kept['overdue'] += 1
            # As of a stream: a name that is gone by now need not be served any more.
            elif read > 0 or goes(domain): note(kept, 'a download after %d bytes and %.1f s' % (read, seconds), error)
def listen(domain, kept):
    first = True
    while goes(domain):
        heard = 0
        try:
            answer = opened(domain, '/events.php')
            if not first: kept['cuts'] += 1
            first = False
            while not os.path.exists(over):
                line = answer.readline()
                if line == b'': break
                if line.startswith(b'data: '):
                    heard += 1
                    kept['events'] += 1
                    open(on + '-' + domain, 'w').close()
        except Exception as error:
            # Only a stream that never said anything was not there: any other one was cut.
            if heard == 0 and goes(domain): note(kept, 'a stream', error)
threads = []
for domain in domains:
    told[domain] = {'downloads': 0, 'overdue': 0, 'events': 0, 'cuts': 0, 'failures': []}
    threads += [threading.Thread(target=work, args=(domain, told[domain])) for work in (download, listen)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps(told))`
