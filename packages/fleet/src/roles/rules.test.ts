import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RoleName, roleNames } from '@fleet/contract'
import {
  conflictingPairs,
  conflictWith,
  inConvergenceOrder,
  nodeAddRefusal,
  relocateRefusal,
  removalRefusal,
  ROLE_RULES,
  roleAddRefusal,
} from '#/roles/rules.ts'

const FREE = { onNode: [], elsewhere: [] }
const PAIRS: ReadonlyArray<readonly [RoleName, RoleName]> = [
  ['gateway', 'app-dev'],
  ['gateway', 'app-prod'],
  ['gateway', 'database'],
  ['gateway', 'ingress'],
  ['gateway', 'analytics'],
  ['vpn', 'database'],
  ['app-dev', 'app-prod'],
  ['app-dev', 'ingress'],
  ['app-prod', 'database'],
  ['database', 'ingress'],
]

test('exactly the ten pairs of the catalogue never share a Node, seen from either side [ROLE-001, ROLE-003, ROLE-004, ROLE-005, ROLE-006, ROLE-007, ROLE-008, ROLE-009, ROLE-010, ROLE-011, ROLE-012]', () => {
  assert.deepEqual(conflictingPairs(roleNames), PAIRS)
  for (const role of roleNames) {
    for (const other of roleNames) {
      const isPair = PAIRS.some((pair) => pair.includes(role) && pair.includes(other)) && role !== other
      assert.equal(conflictWith(role, [other]), isPair ? other : undefined, `${role} with ${other}`)
    }
  }
})

test('each role is given only where the catalogue says [ROLE-003, ROLE-008, ROLE-009, ROLE-012, ROLE-034]', () => {
  const allows = (refusal: unknown): boolean => refusal === undefined
  const ways = roleNames.map((role) => [
    role,
    allows(nodeAddRefusal([role], FREE)) && 'node-add',
    allows(roleAddRefusal(role, FREE)) && 'role-add',
    allows(relocateRefusal(role, FREE)) && 'relocate',
    allows(removalRefusal(role)) && 'remove',
  ])
  assert.deepEqual(
    ways.map((way) => way.filter(Boolean).join(' ')),
    [
      'gateway node-add role-add relocate remove',
      'vpn node-add',
      'app-dev node-add role-add remove',
      'app-prod node-add role-add remove',
      'database node-add role-add remove',
      'ingress role-add remove',
      'router',
      'websocket node-add role-add relocate remove',
      'metrics node-add role-add relocate remove',
      'analytics role-add remove',
    ],
  )
})

test('a conflicting pair has its own code for each entry point, and the message names both roles [ROLE-013]', () => {
  const standing = { onNode: ['database' as const], elsewhere: [] }
  const answers = [
    nodeAddRefusal(['app-prod'], standing),
    nodeAddRefusal(['app-prod', 'database'], FREE),
    roleAddRefusal('app-prod', standing),
    relocateRefusal('gateway', standing),
  ]
  assert.deepEqual(
    answers.map((refusal) => [refusal?.code, refusal?.status, refusal?.message]),
    [
      ['node.role_conflict', 422, 'The roles app-prod and database cannot be on the same Node.'],
      ['node.role_conflict', 422, 'The roles app-prod and database cannot be on the same Node.'],
      ['validation.failed', 422, 'The roles app-prod and database cannot be on the same Node.'],
      ['validation.failed', 422, 'The roles gateway and database cannot be on the same Node.'],
    ],
  )
})

test('a singleton has one Node, which may ask for it again [ROLE-001, ROLE-003, ROLE-010, ROLE-011, ROLE-013]', () => {
  const singletons = roleNames.filter((role) => ROLE_RULES[role].isSingleton)
  assert.deepEqual(singletons, ['gateway', 'vpn', 'websocket', 'metrics'])
  for (const role of singletons) {
    const elsewhere = { onNode: [], elsewhere: [role] }
    assert.equal(nodeAddRefusal([role], elsewhere)?.code, 'node.role_conflict')
    assert.equal(nodeAddRefusal([role], { onNode: [role], elsewhere: [] }), undefined)
  }
  assert.deepEqual(roleAddRefusal('router', FREE)?.details?.['errors'], {
    role: ['router is assigned by `fleet cluster:router:set CLUSTER NODE`'],
  })
  assert.deepEqual(removalRefusal('router')?.details?.['errors'], {
    role: ['router is removed by `fleet cluster:router:clear CLUSTER`'],
  })
  assert.equal(roleAddRefusal('metrics', { onNode: [], elsewhere: ['metrics'] })?.code, 'node.role_conflict')
  assert.equal(roleAddRefusal('metrics', { onNode: ['metrics'], elsewhere: [] }), undefined)
  assert.equal(roleAddRefusal('database', { onNode: [], elsewhere: ['database'] }), undefined)
})

test('a role that cannot come with a Node may stay when the Node is converged', () => {
  assert.equal(nodeAddRefusal(['ingress'], FREE)?.code, 'validation.failed')
  assert.equal(nodeAddRefusal(['ingress'], { onNode: ['ingress'], elsewhere: [] }), undefined)
})

test('the hub and its DNS come before the roles that need them, each role once', () => {
  assert.deepEqual(inConvergenceOrder(['app-dev', 'gateway', 'vpn', 'gateway']), [
    'vpn',
    'gateway',
    'app-dev',
  ])
})
