import { testStepList } from '@fleet/steps/testing'
import { managersOf } from '#/tools/managers/registry.ts'
import { insertTool } from '#/tools/queries.ts'
import type { ToolRow } from '#/tools/record.ts'
import { toolInstallation } from '#/tools/steps/installation.ts'
import { failureLog } from '#/tools/steps/log.ts'
import { toolRemoval } from '#/tools/steps/removal.ts'
import { toolUpdate } from '#/tools/steps/update.ts'
import type { ToolWork } from '#/tools/steps/work.ts'
import { type AptPackage, type AptWorld, startAptWorld } from '#/tools/world.test.ts'

type World = ToolWork & { readonly world: AptWorld }

async function fresh(
  given: AptPackage,
  recorded: Pick<ToolRow, 'status' | 'installed_version'>,
): Promise<World> {
  const world = await startAptWorld()
  const { store, node, session } = world.fleet
  world.set('jq', given)
  const row = await insertTool(store.db, {
    node_id: node.id,
    manager: 'apt',
    package: 'jq',
    version_constraint: '^1',
    ...recorded,
    created_at: '2026-01-01T00:00:00.000Z',
  })
  const manager = managersOf({}).apt
  return { world, deps: { store }, session, manager, row, state: await manager.read(session, 'jq') }
}

const view = async ({ world, row }: World): Promise<unknown> => [
  (await world.rows()).map(({ status, installed_version }) => [
    // A failure is in the column of the log.
    status === 'failed' ? row.status : status,
    installed_version,
  ]),
  world.installed('jq'),
]

/** What the handler of the repeated request builds: the record and the Node as they are now. */
async function again(context: World): Promise<World | undefined> {
  const row = await context.world.row(context.row.id)
  if (!row) return undefined
  return { ...context, row, state: await context.manager.read(context.session, 'jq') }
}

const close = ({ world }: World): PromiseLike<void> => world[Symbol.asyncDispose]()
const shared = { view, again, close }

testStepList<World>('tool-installation', {
  ...shared,
  list: toolInstallation,
  fresh: () => fresh({ candidate: '1.7.1-3' }, { status: 'installing', installed_version: null }),
  log: (context) => failureLog(context, 'install'),
})

testStepList<World>('tool-update', {
  ...shared,
  list: toolUpdate,
  fresh: () =>
    fresh(
      { candidate: '1.8.0-1', installed: '1.7.1-3' },
      { status: 'installed', installed_version: '1.7.1-3' },
    ),
  log: (context) => failureLog(context, 'update'),
})

testStepList<World>('tool-removal', {
  ...shared,
  list: toolRemoval,
  fresh: () => fresh({ installed: '1.7.1-3' }, { status: 'installed', installed_version: '1.7.1-3' }),
  log: (context) => failureLog(context, 'remove'),
})
