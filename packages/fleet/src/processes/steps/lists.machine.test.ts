import { testStepList } from '@fleet/steps/testing'
import { fakeCall, startServiceFleet } from '@fleet/testing'
import { findProcess } from '#/processes/find.ts'
import { ownerColumns } from '#/instances/api.ts'
import { insertRow } from '#/processes/queries.ts'
import { type Creation, failureLog, processCreation } from '#/processes/steps/creation.ts'
import { type ProcessRemoval, processRemoval } from '#/processes/steps/removal.ts'
import type { ServiceFleet } from '@fleet/testing'

async function world(status: 'creating' | 'active') {
  const fleet = await startServiceFleet()
  const { clock, ...rest } = { ...fleet.deps, clock: { now: () => new Date(0) } }
  const deps = { ...rest, clock, domains: { ownRoute: async () => undefined } } as never as Creation['deps'] // Nobody waits here.
  const row = await insertRow(fleet.store.db, {
    ...ownerColumns('node', fleet.node.id),
    name: 'queue',
    runtime: 'systemd',
    runtime_config: { command: ['/usr/bin/true'], preset: null },
    working_directory: null,
    account: null,
    restart_policy: 'always',
    keep_alive: 0,
    desired_state: 'running',
    status,
    created_at: '2026-01-01T00:00:00.000Z',
  })
  const process =
    row && (await findProcess({ ...fleet.deps, instances: fleet.domains.instances.instances }, row.id))
  if (!process) throw new Error('the Process of the test is gone')
  return {
    fleet,
    deps,
    session: fleet.session,
    call: fakeCall(),
    process: { ...process, values: { set: [], unset: [] } },
  }
}

type World = Creation & { readonly fleet: ServiceFleet }

async function view({ fleet, process }: World): Promise<unknown> {
  const unit = `orbit-process-${process.id}-queue.service`
  return [
    await fleet.store.db.selectFrom('processes').select(['status', 'observed_status']).execute(),
    fleet.host.read(`etc/systemd/system/${unit}`),
    fleet.host.systemd.isActive(unit),
    fleet.host.systemd.isEnabled(unit),
  ]
}

const close = ({ fleet }: World): PromiseLike<void> => fleet[Symbol.asyncDispose]()

testStepList<World>('process-creation', {
  list: processCreation,
  fresh: () => world('creating'),
  view,
  log: (context) => failureLog(context, { status: 'failed' }),
  close,
})

testStepList<World & ProcessRemoval>('process-removal', {
  list: processRemoval,
  fresh: async () => {
    const context = await world('active')
    context.fleet.host.write(
      `etc/systemd/system/orbit-process-${context.process.id}-queue.service`,
      `# fleet.process.id=${context.process.id}\n`,
    )
    return context
  },
  view,
  log: (context) => failureLog(context),
  // Once the record is gone the removal is done.
  again: async (context) => {
    const { fleet, process } = context
    const stored = await fleet.store.db
      .selectFrom('processes')
      .select('id')
      .where('id', '=', process.id)
      .execute()
    return stored.length === 0 ? undefined : context
  },
  close,
})
