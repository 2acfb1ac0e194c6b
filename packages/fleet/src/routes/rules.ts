import {
  fail,
  type InputOf,
  invalid,
  MAX_DOMAIN_CHARACTERS,
  normalizeDomain,
  type RoutePublication,
} from '@fleet/contract'
import { isWritable, UNWRITABLE } from '#/nodes/api.ts'
import { rootProblem } from '#/projects/api.ts'
import { type Compared, isRepeat, otherValues } from '#/repeats.ts'
import type { RouteRecord } from '#/routes/record.ts'

type Input = InputOf<'route:create'>

/** What a request for a custom proxy asks for, checked. */
export interface ProxyRequest {
  readonly domain: string
  readonly nodeId: number
  /** One of both. */
  readonly target: { readonly upstream: string } | { readonly processId: number }
}

/** Names of Fleet's own below its private suffix (RTE-074); the WebSocket server has two, that of its role and the one that it serves. */
const RESERVED = [
  'gateway',
  'metrics',
  'websocket',
  'reverb',
  'analytics',
  'collector.cli-proxy-api',
] as const

export const isReserved = (domain: string, suffix: string | undefined): boolean =>
  suffix !== undefined && RESERVED.some((name) => domain === `${name}.${suffix}`)

/** Throws `route.domain_invalid`. */
export function domainOrRefuse(text: string): string {
  const domain = normalizeDomain(text)
  if (domain === undefined) throw fail('route.domain_invalid', { details: { domain: text } })
  return domain
}

/**
 * Throws `route.domain_invalid`, `route.scope_required`, `route.upstream_invalid` and `validation.failed` (RTE-066, RTE-067,
 * RTE-087, RTE-160).
 */
export function proxyOrRefuse({ domain: text, node_id, upstream, process_id, ...rest }: Input): ProxyRequest {
  const domain = domainOrRefuse(text)
  if (rest.publication === 'public') throw invalid({ publication: ['a custom proxy is private'] })
  if (rest.web_root !== undefined) throw invalid({ web_root: ['a custom proxy has no web root'] })
  if (node_id === undefined) throw fail('route.scope_required')
  if ((upstream === undefined) === (process_id === undefined))
    throw invalid({ upstream: ['give either upstream or process_id'] })
  const target =
    process_id === undefined ? { upstream: upstreamOrRefuse(upstream ?? '') } : { processId: process_id }
  return { domain, nodeId: node_id, target }
}

/** The branch is no part of it (RTE-035 to RTE-037). */
export const generatedDomain = ({
  project,
  name,
  tld,
}: {
  readonly project: string
  readonly name: string
  readonly tld: string
}): string => [...(name === 'default' ? [] : [name]), project, tld].join('.')

/** An Instance determines Project and Node; nothing else is named beside it. Throws `validation.failed` (RTE-065). */
export function requireInstanceAlone(input: Input): void {
  const named = (['node_id', 'upstream', 'process_id'] as const).filter(
    (member) => input[member] !== undefined,
  )
  if (named.length > 0)
    throw invalid(Object.fromEntries(named.map((member) => [member, ['not allowed beside instance_id']])))
}

/** What a request for a Route to an Instance asks for, checked. */
export interface AppRequest {
  readonly domain: string
  readonly instanceId: number
  readonly publication: RoutePublication
  readonly webRoot: string | null
}

/** Throws `route.domain_invalid` and `validation.failed` (RTE-063 to RTE-065, RTE-134). */
export function appRequestOrRefuse(input: Input & { readonly instance_id: number }): AppRequest {
  const domain = domainOrRefuse(input.domain)
  requireInstanceAlone(input)
  const webRoot = webRootOrRefuse(input.web_root ?? null)
  return { domain, instanceId: input.instance_id, publication: input.publication ?? 'private', webRoot }
}

/** A normalized path of the repository, or null. Throws `validation.failed` (RTE-134). */
export function webRootOrRefuse(webRoot: string | null): string | null {
  const problem = webRoot && webRootProblem(webRoot)
  if (problem) throw invalid({ web_root: [problem] })
  return webRoot
}

function webRootProblem(webRoot: string): string | undefined {
  if (webRoot === '.') return 'must name a directory'
  return (
    rootProblem(webRoot, 'monorepo') ?? (isWritable(webRoot) ? undefined : `must not contain ${UNWRITABLE}`)
  )
}

/** A stored Route that the identical request made (RTE-046, RTE-075). */
export const isSameApp = (stored: RouteRecord, request: AppRequest): boolean =>
  stored.kind === 'app' && isRepeat(comparedApp(stored, request))

const comparedApp = ({ targets, publication, web_root }: RouteRecord, request: AppRequest): Compared => ({
  instance_id: targets.length === 1 && targets[0]?.instance_id === request.instanceId,
  publication: publication === request.publication,
  web_root: web_root === request.webRoot,
})

/** As `takenBy`: the owner of a Route to an Instance is its Project. */
export const takenByApp = (
  stored: RouteRecord,
  request: AppRequest & { readonly projectId: number },
): Error =>
  stored.kind === 'app' && stored.project_id === request.projectId
    ? otherValues('route.retry_conflict', comparedApp(stored, request), existing(stored))
    : fail('route.domain_conflict', { details: existing(stored) })

const existing = ({ domain, id }: RouteRecord) => ({ domain, existing_route_id: id })

const UPSTREAM = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]|::1)(?::([1-9]\d{0,4}))?\/?$/i
const MAX_PORT = 65_535
const HTTP = 80

/** In one spelling. Throws `route.upstream_invalid`. */
export function upstreamOrRefuse(text: string): string {
  const [, host, port] = (text.length <= MAX_DOMAIN_CHARACTERS && UPSTREAM.exec(text)) || []
  const number = port === undefined ? HTTP : Number(port)
  if (host === undefined || number > MAX_PORT)
    throw fail('route.upstream_invalid', { details: { upstream: text.slice(0, MAX_DOMAIN_CHARACTERS) } })
  return `http://${host.toLowerCase() === '::1' ? '[::1]' : host.toLowerCase()}:${number}`
}

/** A stored Route that the identical request made (RTE-049, RTE-075). */
export const isSameProxy = (stored: RouteRecord, request: ProxyRequest): boolean =>
  stored.kind === 'custom_proxy' &&
  stored.node_id === request.nodeId &&
  isRepeat(comparedProxy(stored, request))

const comparedProxy = ({ process_id, upstream }: RouteRecord, { target }: ProxyRequest): Compared =>
  'processId' in target
    ? { process_id: process_id === target.processId }
    : { upstream: process_id === null && upstream === target.upstream }

/**
 * What is said of a domain that is taken: the same kind and owner with other values is a repeat gone wrong, anything else a
 * conflict (decision 30 of the design).
 */
export const takenBy = (stored: RouteRecord, request: ProxyRequest): Error =>
  stored.kind === 'custom_proxy' && stored.node_id === request.nodeId
    ? otherValues('route.retry_conflict', comparedProxy(stored, request), existing(stored))
    : fail('route.domain_conflict', { details: existing(stored) })
