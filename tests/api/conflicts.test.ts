import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ErrorCode } from '@fleet/contract'
import { addCluster, addGrant, addInstance, addProject, addSchedule } from '@fleet/testing'
import { startTestGateway, type TestGateway } from './harness.ts'

const SCHEDULE = 'b3b0c7a4-2f2e-4d86-9f4a-3a4f7a0c2d11'
const STEP = { name: 'build', command: 'true' }
const definition = (spec: object) => ({ name: 'mail', environments: ['production'], spec })
const UNIT = definition({ runtime: 'systemd', command: ['/bin/true'] })
const TIMER = definition({ calendar: 'daily', command: 'true', timeout_seconds: 60 })

let fleet: TestGateway
let project = ''
const instance = { active: 0, checkout_prepared: 0, removing: 0 }
before(async () => {
  fleet = await startTestGateway()
  const { store, nodes } = fleet
  const { id: project_id } = await addProject(store, { slug: 'shop' })
  project = `/projects/${project_id}`
  const stored = { project_id, node_id: nodes.granted }
  for (const status of ['active', 'checkout_prepared', 'removing'] as const)
    instance[status] = (await addInstance(store, { ...stored, name: status, status })).id
  await addCluster(store, { name: 'east', tld: 'east' })
  await addSchedule(store, {
    id: SCHEDULE,
    node_id: nodes.granted,
    status: 'removing',
  })
  await addGrant(store, { id: nodes.gateway }, { id: nodes.granted })
})
after(() => fleet[Symbol.asyncDispose]())

const send = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await fleet.ask(method, `/api/v1${path}`, { body })
  return [status, json?.error?.code] as const
}

/** What each family refuses that the tests of the other families beside this one do not ask for. */
const refused: ReadonlyArray<
  readonly [code: ErrorCode, method: string, path: () => string, body?: () => unknown]
> = [
  ['cluster.tld_conflict', 'POST', () => '/clusters', () => ({ name: 'west', tld: 'east' })],
  ['project.has_instances', 'DELETE', () => project],
  [
    'deployment_config.unavailable',
    'POST',
    () => `/instances/${instance.active}/deploy-steps`,
    () => ({ ...STEP, phase: 'before_activation' }),
  ],
  [
    'dependencies.instance_unavailable',
    'POST',
    () => `/instances/${instance.checkout_prepared}/dependencies/scan`,
    () => ({}),
  ],
  [
    'env.owner_unavailable',
    'PUT',
    () => `/instances/${instance.removing}/environment/A`,
    () => ({ value: 'b' }),
  ],
  [
    'process.target_inactive',
    'POST',
    () => '/processes',
    () => ({
      target_type: 'instance',
      target_id: instance.removing,
      name: 'mail',
      runtime: 'systemd',
      command: ['/bin/true'],
    }),
  ],
  ['schedule.state_invalid', 'POST', () => `/schedules/${SCHEDULE}/run`, () => ({})],
]

for (const [code, method, path, body] of refused)
  test(`${code} leaves every record as it was [GW-027]`, async () => {
    assert.deepEqual(await send(method, path(), body?.()), [409, code])
  })

for (const [code, kind, body] of [
  ['lifecycle_step.name_taken', 'setup-steps', STEP],
  ['lifecycle_step.name_taken', 'teardown-steps', STEP],
  ['deploy_step.name_taken', 'dev-deploy-steps', STEP],
  ['project_definition.name_taken', 'process-definitions', UNIT],
  ['project_definition.name_taken', 'schedule-definitions', TIMER],
] as const)
  test(`a name that another one of the ${kind} has leaves every record as it was [GW-027]`, async () => {
    const changed = kind.endsWith('steps') ? { command: 'false' } : { environments: ['development'] }
    assert.deepEqual(await send('POST', `${project}/${kind}`, body), [201, undefined])
    assert.deepEqual(await send('POST', `${project}/${kind}`, body), [200, undefined])
    assert.deepEqual(await send('POST', `${project}/${kind}`, { ...body, ...changed }), [409, code])
  })
