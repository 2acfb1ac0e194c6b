import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Ask, Response } from './ask.ts'

/** The same request with curl, which knows nothing of this project but the certificate file. */
export async function curl(
  baseUrl: string,
  caFile: string,
  method: string,
  path: string,
  options: Ask,
): Promise<Response> {
  const { from = '127.0.0.1', body, raw, headers = {} } = options
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  // Without an Expect header curl sends a large body at once and reads no interim answer.
  const sent = {
    expect: '',
    ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }
  const words = [
    '--silent',
    '--show-error',
    '--include',
    '--cacert',
    caFile,
    '--interface',
    from,
    '--request',
    method,
    ...Object.entries(sent).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...(payload === undefined ? [] : ['--data-binary', '@-']),
    new URL(path, baseUrl).href,
  ]
  const child = spawn('curl', words, { stdio: ['pipe', 'pipe', 'pipe'] })
  const printed: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end(payload)
  await once(child, 'close')
  if (printed.length === 0) throw new Error(`curl ended with status ${child.exitCode}`)
  return parse(Buffer.concat(printed).toString('utf8'))
}

function parse(text: string): Response {
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  return { status: Number(first.split(' ')[1]), headers, text: text.slice(end + 4) }
}
