import { readMembers, requireMembers } from '#/args/values.ts'
import type { Context, Invocation } from '#/context.ts'
import { EXIT, type ExitCode } from '#/exit.ts'
import { completionScript } from './completion.ts'
import { addGateway } from './gateway-add.ts'
import { listGateways, removeGateway, useGateway } from './gateway-profiles.ts'
import { showStatus } from './gateway-status.ts'
import { renewTrust } from './gateway-trust.ts'
import type { LocalName } from './specs.ts'

/** A command of this client with its members read. */
export type LocalRun = (
  context: Context,
  invocation: Invocation,
  members: Readonly<Record<string, unknown>>,
) => Promise<void>

const RUNS: Readonly<Record<LocalName, LocalRun>> = {
  completion: async ({ terminal }, _invocation, { shell }) => terminal.out(completionScript(String(shell))),
  'gateway:add': addGateway,
  'gateway:list': listGateways,
  'gateway:remove': removeGateway,
  'gateway:status': showStatus,
  'gateway:trust': renewTrust,
  'gateway:use': useGateway,
}

/** Runs a command of this client itself. */
export async function runLocal(name: LocalName, context: Context, invocation: Invocation): Promise<ExitCode> {
  const members = readMembers(invocation.line, invocation.command)
  requireMembers(members, invocation.command)
  await RUNS[name](context, invocation, members)
  return EXIT.ok
}
