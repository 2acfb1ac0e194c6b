import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addInstance, addProject, fakeCall, startServiceFleet } from '@fleet/testing'

test('Processes of an Instance that moves keep their ids and desired states: those that ran run again, and nothing of them is left where they were [INS-092]', async () => {
  await using fleet = await startServiceFleet()
  const { handlers, moves, runtime } = fleet.domains.processes
  const project = await addProject(fleet.store)
  const { id } = await addInstance(fleet.store, { project_id: project.id, node_id: fleet.node.id })
  const call = fakeCall()
  const create = async (name: string, start: boolean) => {
    const { data } = await handlers['process:create']({
      call,
      input: {
        target_type: 'instance',
        target_id: id,
        name,
        runtime: 'systemd',
        command: ['/bin/true'],
        start,
      },
    })
    return { ...data, unit: `orbit-process-${data.id}-${name}.service` }
  }
  const [queue, idle] = [await create('queue', true), await create('idle', false)]
  // Both Nodes are this host, so the unit is withdrawn before it is installed again.
  await runtime.stop(fleet.session, id)
  assert.equal(fleet.host.systemd.isActive(queue.unit), false)
  for (const _time of [1, 2]) await moves.withdraw(fleet.session, id)
  for (const { unit } of [queue, idle]) assert.equal(fleet.host.read(`etc/systemd/system/${unit}`), undefined)
  for (const _time of [1, 2]) await moves.resume(fleet.session, id)
  const { systemd } = fleet.host
  assert.deepEqual([systemd.isActive(queue.unit), systemd.isActive(idle.unit)], [true, false])
  assert.notEqual(fleet.host.read(`etc/systemd/system/${idle.unit}`), undefined)
  const { data } = await handlers['process:list']({ call, input: {} })
  assert.deepEqual(
    data.map(({ id: process, desired_state }) => [process, desired_state]),
    [
      [queue.id, 'running'],
      [idle.id, 'stopped'],
    ],
  )
})
