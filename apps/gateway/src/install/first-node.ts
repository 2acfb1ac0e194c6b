import type { NodeAdditionData, RoleName } from '@fleet/contract'
import type { Caller, StepProgress } from '@fleet/fleet'
import { CodedError } from '@fleet/kernel'
import { perform } from '#/console/perform.ts'
import { Refusal } from '#/console/refusal.ts'
import type { Session } from '#/console/session.ts'
import type { Report } from '#/console/report.ts'
import type { InstallOptions } from './options.ts'

/** What the request says of the first Node; a recorded one is named alone. */
export type FirstNode = { readonly name: string } & Partial<
  Pick<InstallOptions, 'publicHost' | 'publicPort' | 'address' | 'fleetUser'>
>

export interface FirstNodeDeps {
  readonly session: Session
  readonly options: FirstNode
  readonly fingerprint: string
  readonly report: Report
}

/** What makes a machine the gateway of a fleet. */
export const FIRST_ROLES: readonly RoleName[] = ['gateway', 'vpn']

export const CLOSED_SSH = 'Public SSH of this machine is now closed; this session stays open.'
/** Of the first role that a Node gets. */
const CLOSING_STEP = 'role:public-ssh'

/** The gateway's own machine becomes a Node by the same steps as any other, over SSH to its own address (NODE-064). */
export async function provisionFirstNode({
  session,
  options,
  fingerprint,
  report,
}: FirstNodeDeps): Promise<NodeAdditionData> {
  const gateway = await session.services.nodes.gateway()
  const caller = gateway ? callerOf(gateway) : undefined
  const members = {
    name: options.name,
    ...(options.publicHost === undefined ? {} : { public_ssh_host: options.publicHost }),
    ...(options.publicPort === undefined ? {} : { public_ssh_port: options.publicPort }),
    host_key_fingerprint: fingerprint,
    user: 'root',
    roles: FIRST_ROLES,
    ...(options.fleetUser === undefined ? {} : { fleet_user: options.fleetUser }),
    ...(options.address === undefined ? {} : { wireguard_ip: options.address }),
  }
  const print = stepsTo(report)
  let isClosed = false
  const progress = (step: StepProgress): void => {
    if (step.step === CLOSING_STEP && step.status === 'done') isClosed = true
    print(step)
  }
  try {
    return (await perform(session, 'node:add', members, { caller, progress })).data
  } catch (error) {
    if (isClosed) report.line(CLOSED_SSH)
    if (error instanceof CodedError && Array.isArray(error.details?.['follow_up']))
      report.line(error.details['follow_up'].join('\n'))
    throw error instanceof CodedError ? shownError(error) : error
  }
}

/** Each step once it has ended, with its own time. */
export function stepsTo(report: Report): (progress: StepProgress) => void {
  const begun = new Map<string, number>()
  return ({ step, status }) => {
    if (status === 'started') begun.set(step, report.ticks())
    else report.part(step, status, begun.get(step) ?? report.ticks())
  }
}

export const callerOf = (node: {
  readonly id: number
  readonly name: string
  readonly wireguard_ip: string | null
}): Caller => ({
  id: node.id,
  name: node.name,
  address: node.wireguard_ip ?? '',
  isGateway: true,
})

/** Where the machine itself says why. */
const NEXT: Readonly<Record<string, string>> = {
  'vpn.server_config_install_failed':
    'journalctl -u wg-quick@fleet -n 20 shows why, ss -lnup who has which UDP port; --port PORT chooses another for the network.',
}

/**
 * What a person needs of a coded error: its code, its step and what it says. Of `http.500` the cause, because console commands
 * have no log that could contain it.
 */
export function shownError(error: CodedError): Error {
  if (error.code === 'http.500' && error.cause instanceof Error) return error.cause
  const details = Object.entries(error.details ?? {})
    .filter(([name]) => !['node', 'follow_up'].includes(name))
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return new Refusal([error.code, error.message, ...details].join('  '), NEXT[error.code], error)
}
