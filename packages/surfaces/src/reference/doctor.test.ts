import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, doctorCodes, type DoctorCodeSpec, errorRegistry, repairOf } from '@fleet/contract'
import { cliTree } from '#/cli/tree.ts'
import { doctorMarkdown } from './doctor.ts'

const { commands } = cliTree(catalogue, errorRegistry)
const codes = Object.entries<DoctorCodeSpec>(doctorCodes)

const named = codes.flatMap(([code, { command, commandOf }]) =>
  [command, ...Object.values(commandOf ?? {})].flatMap((one) =>
    typeof one === 'string' ? [[code, one] as const] : [],
  ),
)
for (const [code, command] of named) {
  test(`${command} repairs ${code}: it is a command with such words`, () => {
    const [name = '', ...words] = command.split(' ')
    const spec = commands[name] ?? assert.fail(`no command ${name}`)
    const typed = words.filter((word) => !word.startsWith('--'))
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2))
    const known = spec.options.flatMap(({ name: option, nullable }) =>
      nullable ? [option, `no-${option}`] : [option],
    )
    assert.deepEqual(
      options.filter((option) => !known.includes(option)),
      [],
    )
    // A value after an option that takes one is no argument.
    const values = spec.options.filter(
      ({ name: option, type, asked }) => options.includes(option) && type !== 'boolean' && !asked,
    )
    assert.ok(typed.length - values.length <= spec.arguments.length, `${name} takes fewer arguments`)
  })
}

test('a repair holds the names of its issue', () => {
  const issue = { node_id: 3, node_name: 'web-1', resource_name: 'database' }
  assert.equal(
    repairOf('role.services_inactive', issue).command,
    'node:role:add 3 database --converge-existing',
  )
  const hub = { ...issue, resource_name: 'vpn' }
  assert.equal(repairOf('role.services_inactive', hub).command, 'node:converge 3 --force')
  assert.equal(repairOf('role.vpn_inactive', hub).command, 'node:converge 3 --force')
  const leaving = { ...issue, observed: 'removal failed' }
  assert.equal(repairOf('role.lifecycle_not_active', leaving).command, 'node:role:remove 3 database')
  assert.equal(
    repairOf('role.lifecycle_not_active', issue).command,
    'node:role:add 3 database --converge-existing',
  )
  assert.equal(repairOf('node.disk_low', issue).command, undefined)
  // No role operation touches a Router.
  for (const code of [
    'role.packages_missing',
    'role.services_inactive',
    'role.lifecycle_not_active',
  ] as const) {
    const { text, command } = repairOf(code, { ...issue, resource_name: 'router' })
    assert.match(text, /`fleet cluster:router:set CLUSTER web-1`/)
    assert.equal(command, undefined)
  }
})

test('what failed by itself is not started again blindly, and a sentence names the resource', () => {
  const issue = { node_id: 3, node_name: 'web-1', resource_name: 'worker', resource_id: 7 }
  const failed = repairOf('process.state_mismatch', { ...issue, observed: 'failed' })
  assert.match(failed.text, /^Read why with `fleet process:logs 7`/)
  assert.equal(failed.command, 'process:stop 7')
  const stopped = repairOf('process.state_mismatch', { ...issue, observed: 'inactive' })
  assert.match(stopped.text, /^Converge the Node/)
  assert.equal(stopped.command, 'node:converge 3 --force')
  const route = { ...issue, resource_name: 'shop.test' }
  assert.match(repairOf('route.lifecycle_not_active', route).text, /^`fleet route:show shop\.test` says/)
})

test('the page names every code with what to do about it', () => {
  const text = doctorMarkdown()
  for (const [code, { repair }] of codes) {
    assert.ok(text.includes(`\`${code}\``), code)
    assert.ok(text.includes(repair), code)
  }
})
