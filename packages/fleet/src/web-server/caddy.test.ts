import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { renderCaddyfile } from '#/web-server/caddyfile/render.ts'
import { caddyVersionOf, featuresOf } from '#/web-server/caddyfile/version.ts'
import type { Site } from '#/web-server/site.ts'

function versionHere() {
  try {
    return caddyVersionOf(execFileSync('caddy', ['version'], { encoding: 'utf8' }))
  } catch {
    return undefined
  }
}
const version = versionHere()

/** What the Caddy of this machine can do. */
export const FEATURES = featuresOf(version ?? { major: 2, minor: 6 })

/** For the options of a test that needs the real Caddy. */
export const NO_CADDY = version === undefined && 'caddy is not installed'

/** Key and certificate for the names in one file, and the certificate alone, which is its own authority. */
export function selfSigned(
  folder: string,
  ...names: readonly string[]
): { readonly leaf: string; readonly root: string } {
  const base = join(folder, `leaf-${names.join('-')}`)
  const [key, root, leaf] = [`${base}.key`, `${base}.crt`, `${base}.pem`] as const
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ]
  const alternatives = `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`
  execFileSync(
    'openssl',
    [...made, '-subj', '/CN=test', '-addext', alternatives, '-keyout', key, '-out', root],
    {
      stdio: 'ignore',
    },
  )
  writeFileSync(leaf, readFileSync(key, 'utf8') + readFileSync(root, 'utf8'))
  return { leaf, root }
}

export interface Seen {
  readonly status: number | undefined
  readonly text: string
  readonly headers: IncomingHttpHeaders
}

export interface RealCaddy extends AsyncDisposable {
  readonly folder: string
  readonly port: number
  /** One request over a connection of its own. */
  visit(given?: Visit): Promise<Seen>
  /** Loads other sites, as a build does. */
  publish(sites: readonly Site[]): void
}

interface Visit {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface CaddyGiven {
  readonly folder: string
  readonly domain: string
  readonly port: number
  readonly sites: readonly Site[]
  /** File with the authority that the sites trust. */
  readonly root: string
  /** What of the file is elsewhere on this machine. */
  readonly replaced?: Readonly<Record<string, string>>
}

/** Sites as a Node would get them, in the Caddy of this machine. */
export async function startCaddy({
  folder,
  domain,
  port,
  sites,
  root,
  replaced = {},
}: CaddyGiven): Promise<RealCaddy> {
  const [file, admin] = [join(folder, 'Caddyfile'), join(folder, 'admin.sock')]
  const write = (given: readonly Site[]): void => {
    const rendered = renderCaddyfile(given, { features: FEATURES, root })
    const text = Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), rendered)
    writeFileSync(file, text.replace('{\n', `{\n\tadmin unix/${admin}\n`))
  }
  write(sites)
  const config = ['--adapter', 'caddyfile', '--config', file]
  const options = { stdio: 'ignore', env: { ...process.env, HOME: folder } } as const
  const caddy = spawn('caddy', ['run', ...config], options)
  for (let tries = 0; tries < 600 && !(await isListening(port)); tries += 1) await pause(50)
  return {
    folder,
    port,
    visit: ({ method = 'GET', headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const sent = request({
          host: '127.0.0.1',
          port,
          servername: domain,
          rejectUnauthorized: false,
          path: '/',
          method,
          headers: { host: `${domain}:${port}`, ...headers },
          agent: false,
        })
        sent.on('error', reject).on('response', (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
          response.on('end', () => resolve({ status: response.statusCode, text, headers: response.headers }))
        })
        sent.end(body)
      }),
    publish: (next) => {
      write(next)
      execFileSync('caddy', ['reload', ...config, '--address', `unix/${admin}`], options)
    },
    async [Symbol.asyncDispose]() {
      caddy.kill('SIGKILL')
      if (caddy.exitCode === null && caddy.signalCode === null) await once(caddy, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket
      .on('error', () => resolve(false))
      .on('connect', () => {
        socket.destroy()
        resolve(true)
      })
  })

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'fleet-caddy-'))
