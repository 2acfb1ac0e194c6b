import type { IncomingMessage } from 'node:http'
import type { App, CloseReason } from '@fleet/pusher'

const PROTOCOL = 7
const PATH = /^\/app\/([^/]+)\/?$/

/** The application a client asks for, or why it is not let in. */
export function admit(
  request: Pick<IncomingMessage, 'url' | 'headers'>,
  findApp: (key: string) => App | undefined,
  origins: readonly string[],
): App | CloseReason {
  // `//` and `/\\` begin an address without a host, so not every target is one.
  const url = URL.parse(request.url ?? '/', 'ws://server')
  const [, key] = PATH.exec(url?.pathname ?? '') ?? []
  if (key === undefined) return 'pathUnknown'
  const app = findApp(key)
  if (!app) return 'appUnknown'
  const version = url?.searchParams.get('protocol') ?? null
  if (version === null) return 'versionMissing'
  if (!/^\d+$/.test(version)) return 'versionInvalid'
  if (Number(version) !== PROTOCOL) return 'versionUnsupported'
  return isAllowedOrigin(request.headers.origin, origins) ? app : 'unauthorized'
}

/** Whether a page of this origin may connect. A client without an origin is no page. */
export function isAllowedOrigin(origin: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes('*')) return true
  const host = URL.canParse(origin) ? new URL(origin).hostname : undefined
  return host !== undefined && allowed.some((pattern) => matches(host, pattern.toLowerCase()))
}

/** `*.example.com` matches every name below it, at any depth. */
const matches = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
