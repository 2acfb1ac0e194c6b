import type { DependencyInventory } from '@fleet/contract'
import type { Context, Invocation } from '#/context.ts'
import { ClientError, EXIT, type ExitCode } from '#/exit.ts'
import { type GatewayLink, linkOf } from '#/live/gateway-link.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { resolveNames } from '#/names.ts'
import { withProgress } from '#/print/progress.ts'
import { scanAll } from './scan-all.ts'
import { inventoryLines } from './inventory-text.ts'
import { instanceOfDirectory, instanceOfDomain } from './targets.ts'

/** `fleet instance:dependencies:scan`: one Instance, by name, domain or directory, or every one in turn. */
export const runScan: LocalRun = async (context, invocation, members) => {
  const { instance, project, all } = members
  if (all === true && (project !== undefined || instance !== undefined))
    throw new ClientError('dependencies.target_conflict', 'Give either --all or one Instance.', {
      exit: EXIT.usage,
    })
  const link = await linkOf(context, invocation)
  if (all === true) return scanAll(context, invocation, link)
  const id =
    typeof project === 'string'
      ? await instanceOfDomain(link, project)
      : instance === undefined
        ? await instanceOfDirectory(link, context.environment.currentDirectory())
        : await idOf(invocation, link, members)
  return scanOne(context, invocation, link, id)
}

async function idOf(
  { command }: Invocation,
  link: GatewayLink,
  members: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const named = { ...members }
  await resolveNames(named, command.arguments, (operation) => link.ask(operation), link.ask)
  return named['instance']
}

/** Zero only when both ecosystems succeeded (DEP-046). */
async function scanOne(
  { terminal, clock, signal, newRequestId, onOutcome }: Context,
  { command, globals }: Invocation,
  link: GatewayLink,
  id: unknown,
): Promise<ExitCode> {
  const requestId = globals.requestId ?? newRequestId()
  const work = link.ask('instance:dependencies:scan', { instance: id }, { requestId })
  const data = await (globals.json ? work : withProgress(command.name, terminal, clock, signal, work))
  const inventory = data as DependencyInventory // The gateway answers by this declaration.
  const exit = inventory.succeeded === true ? EXIT.ok : EXIT.refused
  onOutcome(exit)
  if (globals.json) terminal.out(`${JSON.stringify({ data: inventory, meta: { request_id: requestId } })}\n`)
  else {
    const paper = { columns: terminal.columns, colors: terminal.outColors, messageOf: () => undefined }
    const lines = inventoryLines(inventory, paper)
    terminal.out(lines.map((line) => `${line}\n`).join(''))
  }
  return exit
}
