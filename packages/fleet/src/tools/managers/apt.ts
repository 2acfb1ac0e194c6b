import { programOf, START, textFile } from '@fleet/shell'
import { confirmed, type NodeScript, type Reasons } from '#/nodes/api.ts'
import { LOCKED } from '#/tools/managers/reasons.ts'
import { inspectApt } from '#/tools/commands/inspect-apt.ts'
import { APT, HELD, lockHolder } from '#/tools/commands/apt.ts'
import { readPolicy, readRemovalPlan, readStatus } from '#/tools/managers/apt-output.ts'
import type { Manager, PackageState, RemovalPlan } from '#/tools/managers/manager.ts'

const sourceOf = (program: string, ...parts: readonly string[]): string =>
  programOf(program, START, APT, ...parts)
const PLAN_REMOVAL = textFile('../commands/plan-removal.sh', import.meta.url)
const INSTALL = sourceOf(textFile('../commands/install-apt.sh', import.meta.url))

interface Question {
  readonly name: string
  readonly isFresh: boolean
}

const readApt: NodeScript<Question, PackageState> = {
  source: sourceOf(textFile('../commands/read-apt.sh', import.meta.url)),
  args: ({ name, isFresh }) => [name, isFresh ? 'yes' : 'no'],
  isLong: true,
  timeoutSeconds: 180,
  reasons: {
    storage_full: [
      'tool.version_probe_failed',
      'The disk of the Node is full, so apt cannot read which packages it offers.',
    ],
    unreadable: ['tool.version_probe_failed', 'apt cannot read which packages it offers.'],
  },
  broken: 'tool.version_probe_failed',
  read: (answer) => ({ ...readStatus(answer.text('status')), candidate: readPolicy(answer.text('policy')) }),
}

type Failed = 'tool.install_failed' | 'tool.update_failed' | 'tool.remove_failed'

const because = (code: Failed): Reasons => ({
  locked: [code, LOCKED],
  unavailable: [code, 'The package sources of the Node no longer have this package.'],
  disk_full: [code, 'The disk of the Node is full.'],
  would_remove: [
    code,
    'Other packages would have to be removed for this one, so nothing was changed. Remove them yourself if they are not needed.',
  ],
  held: [code, HELD],
  unsafe: 'tool.removal_plan_unsafe',
  ...(code === 'tool.remove_failed' ? UNPLANNED : {}),
  failed: [
    code,
    code === 'tool.remove_failed'
      ? 'apt did not finish: a script of the package failed. Run `apt-get remove` for it on the Node to see why.'
      : 'apt did not finish: a script of the package failed, or a file could not be fetched. Run `apt-get install` for it on the Node to see why.',
  ],
})

/** Why apt plans no removal. */
const UNPLANNED: Reasons = {
  package_needed: [
    'tool.removal_plan_unsafe',
    'Other packages of the Node need this one, and apt finds no way to remove it alone. Nothing was removed.',
  ],
  packages_broken: [
    'tool.remove_failed',
    'Packages of the Node lack others that they depend on, so apt plans no removal. Nothing was removed. Run `apt-get --fix-broken install` on the Node, then remove the Tool again.',
  ],
  unplanned: [
    'tool.remove_failed',
    'apt cannot plan the removal. Nothing was removed. Run `apt-get --simulate remove` for the package on the Node to see why.',
  ],
}

const change = (source: string, field: string, code: Failed): NodeScript<string, void> => ({
  source,
  args: (name) => [name],
  isLong: true,
  reasons: because(code),
  more: lockHolder,
  broken: code,
  read: confirmed(field),
})

const install = change(INSTALL, 'installed', 'tool.install_failed')
const update = change(INSTALL, 'installed', 'tool.update_failed')
const remove = change(
  sourceOf(textFile('../commands/remove-apt.sh', import.meta.url), PLAN_REMOVAL),
  'removed',
  'tool.remove_failed',
)

const plan: NodeScript<string, RemovalPlan> = {
  source: sourceOf(textFile('../commands/plan-apt.sh', import.meta.url), PLAN_REMOVAL),
  args: (name) => [name],
  timeoutSeconds: 330,
  reasons: {
    ...UNPLANNED,
    package_essential: [
      'tool.removal_plan_unsafe',
      'Debian counts this package, or one that needs it, among its essential ones. Nothing was removed.',
    ],
  },
  broken: 'tool.remove_failed',
  read: (answer, name) => readRemovalPlan(answer.text('plan'), name),
}

/** The package database of Debian (TLX-021, TLX-022). */
export const apt: Manager = {
  name: 'apt',
  inspect: (session) => session.ask(inspectApt, undefined, { broken: 'tool.manager_unavailable' }),
  read: (session, name, { isFresh = false } = {}) => session.ask(readApt, { name, isFresh }),
  install: (session, name) => session.ask(install, name),
  update: (session, name) => session.ask(update, name),
  remove: (session, name) => session.ask(remove, name),
  planRemoval: (session, name) => session.ask(plan, name),
}
