import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, findOperation } from '../index.ts'

/** What the Node of a production Instance answers while a Route to it goes. */
const OF_PRODUCTION = [
  'app-prod.php_runtime_failed',
  'app-prod.php_runtime_identity_invalid',
  'app-prod.php_package_source_unavailable',
  'app-prod.web_root_invalid',
] as const

const ANSWERED: Readonly<Record<string, readonly ErrorCode[]>> = {
  'route:destroy': ['route.reconciliation_required', 'route.router_required', ...OF_PRODUCTION],
  'instance:destroy': OF_PRODUCTION,
  'route:target:unset': OF_PRODUCTION,
  'route:target:set': [...OF_PRODUCTION, 'ingress.caddy_config_failed'],
  'cluster:update': ['router.caddy_config_failed'],
  'cluster:node:attach': ['router.caddy_config_failed'],
  'cluster:router:set': ['ingress.caddy_config_failed'],
}

test('what a change of Routes answers is among the errors of its operation', () => {
  const undeclared = Object.entries(ANSWERED).flatMap(([name, codes]) => {
    const { errors = [] } = findOperation(name) ?? {}
    return codes.filter((code) => !errors.includes(code)).map((code) => `${name} ${code}`)
  })
  assert.deepEqual(undeclared, [])
})
