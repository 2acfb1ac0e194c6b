import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { maskText } from '@fleet/kernel'
import { catalogue, findOperation } from './catalogue.ts'
import { errorRegistry } from './errors.ts'
import { pathParams } from './operation.ts'

const names = catalogue.map(({ name }) => name)

test('the catalogue is sorted and no name or path stands in it twice', () => {
  assert.ok(catalogue.length > 0)
  assert.deepEqual(names, names.toSorted())
  assert.equal(new Set(names).size, names.length)
  const routes = catalogue.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
  assert.equal(new Set(routes).size, routes.length)
})

test('a message that names an operation is not masked', () => {
  const masked = names.filter((name) => maskText(`Run \`fleet ${name} NAME\`.`).includes('[REDACTED]'))
  assert.deepEqual(masked, [])
})

test('every operation that a file declares is in the catalogue', () => {
  const files = globSync('*/**/*.ts', { cwd: import.meta.dirname }).filter(
    (file) => !file.endsWith('.test.ts'),
  )
  const declared = files.flatMap((file) =>
    [
      ...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(
        /^ {2}name: '([a-z-]+(?::[a-z-]+)+)'/gm,
      ),
    ].map((match) => match[1] ?? ''),
  )
  assert.ok(declared.length > 0)
  assert.deepEqual(declared.toSorted(), names)
})

test('every input is a strict object, so unknown members are refused [GW-013]', () => {
  for (const { name, input, path } of catalogue) {
    const params = Object.fromEntries(pathParams(path).map((param) => [param, '1']))
    const result = input.safeParse({ ...params, surely_unknown: 1 })
    assert.ok(
      result.error?.issues.some(({ code }) => code === 'unrecognized_keys'),
      name,
    )
  }
})

test('a read changes nothing and takes no body; names, summaries and paths keep their forms [API-021, API-023]', () => {
  for (const operation of catalogue) {
    assert.match(operation.name, /^[a-z]+(-[a-z]+)*(:[a-z-]+)+$/)
    assert.match(operation.path, /^\/[a-z{]/)
    assert.match(operation.summary, /^[A-Z].*[^.]$/, operation.name)
    if (operation.creates) assert.equal(operation.method, 'POST', operation.name)
    if (operation.method === 'GET') assert.ok(!operation.destructive, operation.name)
  }
})

test('an operation is found by its name alone', () => {
  assert.equal(findOperation('env:sync')?.path, '/instances/{instance}/environment/sync')
  assert.equal(findOperation('toString'), undefined)
})

test('every code is <family>.<reason> with a fitting status and a full sentence [API-010, GW-030]', () => {
  for (const [code, { status, message, retry }] of Object.entries(errorRegistry)) {
    assert.match(code, /^[a-z_-]+\.[a-z0-9_]+$/)
    assert.ok(status >= 400 && status < 600, code)
    assert.match(message, /^[A-Z].*\.$/, code)
    assert.ok(['change', 'repeat', 'wait', 'none'].includes(retry), code)
  }
})

test('a code for a path that can name no record is among the errors of its operation', () => {
  const undeclared = catalogue.flatMap(({ name, unnamed = {}, errors }) =>
    Object.values(unnamed).flatMap((code) => (errors.includes(code) ? [] : [`${name} ${code}`])),
  )
  assert.deepEqual(undeclared, [])
})

test('401 and 503 are kept for the few cases that name them', () => {
  const unavailable = Object.entries(errorRegistry).filter(([, { status }]) => status === 503)
  assert.deepEqual(unavailable.map(([code]) => code).toSorted(), [
    'ca.unavailable',
    'http.busy',
    'http.draining',
  ])
  const unauthorized = Object.entries(errorRegistry).filter(([, { status }]) => status === 401)
  assert.deepEqual(
    unauthorized.map(([code]) => code),
    ['agent.secret_required'],
  )
})

test('no code that only clients use is one the gateway can answer [GW-055, NODE-112]', () => {
  const client = [
    'gateway.profile_invalid',
    'gateway.ca_changed',
    'gateway.unreachable',
    'node.setting_unknown',
    'node.setting_duplicate',
    'node.setting_invalid',
    'node.setting_required',
  ]
  for (const code of client) assert.ok(!Object.hasOwn(errorRegistry, code), code)
})
