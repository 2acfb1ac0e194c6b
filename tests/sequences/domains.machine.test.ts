import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld, type World } from './world.ts'

interface Named {
  readonly id: number
}

/** The domain that the unit of the Process names. */
const hostIn = ({ machines }: World, { id }: Named): string | undefined =>
  /FLEET_DEV_SERVER_HOST=([^"\n]*)/.exec(
    machines.all[0]?.host.read(`etc/systemd/system/orbit-process-${id}-vite.service`) ?? '',
  )?.[1]

test('what runs of an Instance names its domain, when it comes and when it changes, and is restarted; what is stopped stays so [PROC-034]', async () => {
  await using world = await startWorld()
  world.git.commit('shop', 'main', { 'public/index.html': 'page\n' })
  const gateway = world.gateway()
  const named = async (...given: Parameters<typeof gateway.ask>) => (await gateway.ask(...given)) as Named // Each of them answers a record.
  const repository_url = world.git.urlOf('shop')
  const project = { slug: 'shop', type: 'node-package', root: 'public', repository_url } as const
  const { id: project_id } = await named('project:create', project)
  const [machine] = world.machines.all
  const node_id = machine?.node.id ?? 0
  const made = { project_id, node_id, name: 'default' } as const
  const { id: instance } = await named('instance:create', made)
  const own = {
    target_type: 'instance' as const,
    target_id: instance,
    runtime: 'systemd' as const,
    command: ['/bin/true'],
  }
  const process = await named('process:create', { ...own, name: 'vite', start: true })
  const idle = await named('process:create', { ...own, name: 'idle' })
  assert.equal(hostIn(world, process), undefined)
  const unit = `orbit-process-${process.id}-vite.service`
  const restarts = () =>
    machine?.host.systemd.calls().filter((call) => call.endsWith(`restart ${unit}`)).length ?? 0
  const before = restarts()

  await gateway.ask('route:create', { domain: 'one.internal', instance_id: instance })
  assert.deepEqual(await gateway.work(), [])
  assert.deepEqual([hostIn(world, process), restarts()], ['one.internal', before + 1])

  await gateway.ask('instance:rename', { instance, domain: 'two.internal' })
  assert.deepEqual(await gateway.work(), [])
  assert.deepEqual([hostIn(world, process), restarts()], ['two.internal', before + 2])
  assert.equal(machine?.host.systemd.isActive(`orbit-process-${idle.id}-idle.service`), false)
})
