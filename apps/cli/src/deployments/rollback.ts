import type { InstanceDeploymentData } from '@fleet/contract'
import type { Context, Invocation } from '#/context.ts'
import { ClientError, EXIT } from '#/exit.ts'
import { fieldsOf, type GatewayLink, linkOf } from '#/live/gateway-link.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { resolveNames } from '#/names.ts'
import { runOperation } from '#/operation.ts'
import { inline } from '#/print/value.ts'

/** `fleet instance:rollback`: the operation; without a release a person at a terminal is offered those that there are. */
export const runRollback: LocalRun = async (context, invocation, members) => {
  const operation = context.tree.commands['instance:rollback']
  if (!operation) throw new Error('the catalogue has no instance:rollback')
  const { release = await chosenRelease(context, invocation, members) } = members as {
    readonly release?: string
  } // Its field is a text.
  const { line } = invocation
  const positionals = [String(members['instance']), release]
  const options = new Map([...line.options].filter(([name]) => name !== 'instance' && name !== 'release'))
  const complete = { ...invocation, command: operation, line: { ...line, positionals, options } }
  return runOperation(context, complete, operation)
}

interface Offered {
  readonly name: string
  readonly isSelected: boolean
  /** The run that made it; undefined for one that is older than the log. */
  readonly madeBy: InstanceDeploymentData | undefined
}

async function chosenRelease(
  context: Context,
  invocation: Invocation,
  members: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { terminal } = context
  const link = await linkOf(context, invocation)
  const named = { ...members }
  await resolveNames(named, invocation.command.arguments, (operation) => link.ask(operation), link.ask)
  const offered = await releasesOf(link, named['instance'])
  const others = offered.filter(({ isSelected }) => !isSelected)
  if (others.length === 0)
    throw new ClientError('instance.no_other_release', 'The Instance has no other release to select.', {
      exit: EXIT.refused,
      next: `fleet instance:deploy ${String(members['instance'])}`,
    })
  if (invocation.globals.json || !terminal.inIsTerminal || !terminal.errIsTerminal)
    throw unnamed(offered, String(members['instance']), others.at(-1)?.name ?? '')
  terminal.err(offered.map((release, at) => `${lineOf(release, at)}\n`).join(''))
  return answered(await terminal.ask(`Release to select [1-${offered.length}, nothing to cancel]: `), offered)
}

async function releasesOf(link: GatewayLink, instance: unknown): Promise<readonly Offered[]> {
  const [found, runs] = await Promise.all([
    link.ask('instance:releases', { instance }).then(fieldsOf),
    link.ask('instance:deployments', { instance }).catch(() => []),
  ])
  const { releases, selected_release: selected } = found
  const known = (Array.isArray(runs) ? runs : []) as readonly InstanceDeploymentData[] // The gateway answers by this declaration.
  const names = (Array.isArray(releases) ? releases : []).map(String)
  return names.map((name) => ({
    name,
    isSelected: name === selected,
    // A rollback names the release too, and has no commit.
    madeBy: known.find(({ release, commit }) => release === name && commit !== null),
  }))
}

const COMMIT_CHARACTERS = 12

function lineOf({ name, isSelected, madeBy }: Offered, at: number): string {
  const source = madeBy
    ? [madeBy.started_at, madeBy.branch ?? '', madeBy.commit?.slice(0, COMMIT_CHARACTERS) ?? '']
    : []
  const words = [`${at + 1}`.padStart(3), name, ...source, isSelected ? 'selected now' : '']
  return words
    .filter((word) => word !== '')
    .map((word) => inline(word))
    .join('  ')
}

const unnamed = (offered: readonly Offered[], instance: string, latest: string): ClientError =>
  new ClientError(
    'instance.release_required',
    `Name the release to select. The Instance has ${offered
      .map(({ name, isSelected }) => `${inline(name)}${isSelected ? ' (selected now)' : ''}`)
      .join(', ')}.`,
    { exit: EXIT.usage, next: `fleet instance:rollback ${instance} ${latest}` },
  )

function answered(reply: string | undefined, offered: readonly Offered[]): string {
  const text = reply?.trim() ?? ''
  const found = offered.find(({ name }, at) => text === name || text === `${at + 1}`)
  if (found) return found.name
  if (text === '') throw new ClientError('cancelled', 'Nothing was changed.', { exit: EXIT.usage })
  throw new ClientError('usage', `${inline(text)} is none of the releases. Nothing was changed.`, {
    exit: EXIT.usage,
  })
}
