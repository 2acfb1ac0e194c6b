import { type ErrorCode, fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'

/** Who asked for a build answers with a code of its own (RTX-093). */
export const publishers = ['app-dev', 'app-prod', 'router', 'ingress'] as const
export type Publisher = (typeof publishers)[number]

export const buildStages = [
  'render',
  'connect',
  'lock',
  'release',
  'addresses',
  'write',
  'validate',
  'backup',
  'swap',
  'reload',
] as const
export type BuildStage = (typeof buildStages)[number]

const MAX_BYTES = 2000
const CUT = ' … (cut)'

export interface BuildTrouble {
  readonly node: NodeRecord
  readonly publisher: Publisher
  readonly stage: BuildStage
  readonly message: string
  /** Code of what was in the way, where it has one of its own. */
  readonly errorCode?: string
}

/** `<publisher>.caddy_config_failed` with Node, stage and message, at most 2,000 bytes of it (RTX-071, RTX-093). */
export const buildFailure = (trouble: BuildTrouble): CodedError => {
  const { code, details } = buildReport(trouble)
  return fail(code, { details })
}

/** The same before it is thrown. */
export const buildReport = ({ node, publisher, stage, message, errorCode }: BuildTrouble) => ({
  code: failureCodes[publisher],
  details: {
    node: identityOf(node),
    stage,
    message: bounded(message),
    ...(errorCode === undefined ? {} : { error_code: errorCode }),
  },
})

export const failureCodes = {
  'app-dev': 'app-dev.caddy_config_failed',
  'app-prod': 'app-prod.caddy_config_failed',
  router: 'router.caddy_config_failed',
  ingress: 'ingress.caddy_config_failed',
} as const satisfies Record<Publisher, ErrorCode>

/** A cut never splits a character, and says that it is one. */
export function bounded(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text
  let cut = Buffer.from(text)
    .subarray(0, MAX_BYTES - Buffer.byteLength(CUT))
    .toString('utf8')
  while (cut.endsWith('\uFFFD')) cut = cut.slice(0, -1)
  return `${cut}${CUT}`
}
