import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEnv } from './env.ts'
import { gatewayNames } from './names.ts'

test('unset, the settings of a release have their defaults [SET-001, SET-002, SET-003, SET-004, SET-005, SET-006]', () => {
  const env = readEnv({})
  assert.deepEqual(
    [
      env.FLEET_GATEWAY_RELEASE_MIN_FREE_MB,
      env.FLEET_GATEWAY_RELEASES_KEEP,
      env.FLEET_GATEWAY_RELEASE_SNAPSHOTS_KEEP,
      env.FLEET_GATEWAY_RELEASE_SCHEDULER_DRAIN_SECONDS,
      env.FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS,
      env.FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT,
    ],
    [1024, 3, 5, 600, 180, 90],
  )
  assert.equal(env.FLEET_GATEWAY_VERIFY_ORIGIN, undefined)
})

test('a number outside its bounds counts as the nearest of them [SET-002, SET-005, SET-006]', () => {
  const keep = (text: string) => readEnv({ FLEET_GATEWAY_RELEASES_KEEP: text }).FLEET_GATEWAY_RELEASES_KEEP
  assert.deepEqual([keep('1'), keep('2'), keep('9')], [2, 2, 9])
  const tick = (text: string) =>
    readEnv({ FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS: text })
      .FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS
  assert.deepEqual([tick('10'), tick('60'), tick('61')], [60, 60, 61])
  const smoke = (text: string) =>
    readEnv({ FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT: text }).FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT
  assert.deepEqual([smoke('0'), smoke('1'), smoke('600'), smoke('601')], [1, 1, 600, 600])
})

test('the private suffix is the end of the name in the certificate [GW-059]', () => {
  assert.deepEqual(gatewayNames(readEnv({ FLEET_APP_DEV_DOMAIN: 'lan.example' })), ['gateway.lan.example'])
})
