import assert from 'node:assert/strict'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'

/** What became of the requests to one domain, until its name was answered no more. */
export interface Visits {
  readonly sent: number
  /** A kept connection was closed while it was idle; the request was repeated once. */
  readonly repeated: number
  /** Why requests failed, each once. */
  readonly failures: readonly string[]
  readonly firstSeconds: number
  readonly lastSeconds: number
}

const OVER = '/run/visits-over'
const STARTED = '/run/visits-on'

/**
 * Asks for a page under several domains at once, from when each resolves until it does not: over connections of their own and over a
 * kept one, by the resolver and the trust of the host. Answers what became of it once it is ended.
 */
export async function startVisits(
  from: Host,
  domains: readonly string[],
  expected: string,
  pauseSeconds = 0.01,
): Promise<() => Promise<Readonly<Record<string, Visits>>>> {
  await from.run(['rm', '-f', OVER, STARTED])
  const client = from.run(
    ['python3', '-c', CLIENT, OVER, STARTED, expected, String(pauseSeconds), ...domains],
    {
      timeoutSeconds: 400,
    },
  )
  client.catch(() => undefined)
  const isOn = async () => ((await from.attempt(['test', '-e', STARTED])).status === 0 ? true : undefined)
  assert.ok(await waitFor(30, isOn), 'no visitor was answered')
  return async () => {
    await from.run(['touch', OVER])
    return JSON.parse(await client) as Readonly<Record<string, Visits>> // The program below prints it.
  }
}

const CLIENT = `import http.client, json, os, socket, ssl, sys, threading, time
over, on, expected, pause, domains = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5:]
context, began, told = ssl.create_default_context(), time.time(), {}
def resolves(domain):
    try:
        socket.getaddrinfo(domain, 443, socket.AF_INET)
        return True
    except socket.gaierror:
        return False
def ask(connection, domain):
    connection.request('GET', '/', headers={'Host': domain})
    answer = connection.getresponse()
    body = answer.read().decode()
    if answer.status != 200 or expected not in body:
        raise RuntimeError('%d %s' % (answer.status, body[:80]))
def visit(domain):
    visits = told[domain] = {'sent': 0, 'repeated': 0, 'failures': [], 'firstSeconds': 0, 'lastSeconds': 0}
    while not resolves(domain):
        if os.path.exists(over): return
        time.sleep(0.05)
    visits['firstSeconds'] = time.time() - began
    new = lambda: http.client.HTTPSConnection(domain, timeout=20, context=context)
    kept = new()
    while not os.path.exists(over) and resolves(domain):
        for connection in (kept, new()):
            visits['sent'] += 1
            try:
                try:
                    ask(connection, domain)
                except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                    if connection is not kept: raise
                    visits['repeated'] += 1
                    kept.close()
                    ask(kept, domain)
            except Exception as error:
                if isinstance(error, socket.gaierror): break
                text = repr(error)
                if text not in visits['failures']: visits['failures'].append(text)
                kept.close()
            if connection is not kept: connection.close()
        visits['lastSeconds'] = time.time() - began
        open(on, 'w').close()
        time.sleep(pause)
threads = [threading.Thread(target=visit, args=(domain,)) for domain in domains]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps(told))`
