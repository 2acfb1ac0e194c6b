import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalizeDomain } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { RouteRecord } from '#/routes/record.ts'
import {
  appRequestOrRefuse,
  generatedDomain,
  isReserved,
  isSameApp,
  isSameProxy,
  proxyOrRefuse,
  takenBy,
  takenByApp,
  upstreamOrRefuse,
} from '#/routes/rules.ts'

test('a domain is stored in one spelling; what is none is refused [RTE-011, RTX-008]', () => {
  assert.equal(normalizeDomain('Example.TEST.'), 'example.test')
  assert.equal(normalizeDomain('a-1.b2.example'), 'a-1.b2.example')
  assert.equal(normalizeDomain('xn--bcher-kva.example'), 'xn--bcher-kva.example')
  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`
  assert.equal(normalizeDomain(longest), longest)
  for (const text of [
    'a b',
    '',
    '.',
    'single',
    '-a.test',
    'a-.test',
    'a..test',
    '.a.test',
    'a_b.test',
    'bücher.test',
    '\u212A.test',
    '*.test',
    '10.0.0.1',
    'a.test..',
    `${longest}e`,
    `${'a'.repeat(64)}.test`,
    'https://a.test',
    'a.test/x',
    'a.test:80',
    'a.test\n',
  ])
    assert.equal(normalizeDomain(text), undefined, text)
})

test('an upstream is HTTP on the loopback of the Node, in one spelling [RTE-087, RTE-160]', () => {
  const spelled = [
    'http://127.0.0.1:3000',
    'http://LOCALHOST:80/',
    'http://[::1]:8025',
    'http://::1:8025',
    'http://localhost',
  ]
  assert.deepEqual(spelled.map(upstreamOrRefuse), [
    'http://127.0.0.1:3000',
    'http://localhost:80',
    'http://[::1]:8025',
    'http://[::1]:8025',
    'http://localhost:80',
  ])
  for (const text of [
    'http://10.0.0.1:80',
    'https://127.0.0.1:443',
    'http://127.0.0.1:0',
    'http://127.0.0.1:65536',
    'http://127.0.0.1:80/path',
    'http://user@127.0.0.1:80',
    'http://127.0.0.1.example:80',
    'http://127.0.0.2:80',
    '127.0.0.1:80',
    'http://127.0.0.1:80?x',
    `http://127.0.0.1:80${'/'.repeat(300)}`,
  ])
    assert.throws(() => upstreamOrRefuse(text), { code: 'route.upstream_invalid', status: 422 }, text)
})

test('the names of five services below the private suffix are of Fleet itself [RTE-074]', () => {
  const own = ['gateway', 'metrics', 'websocket', 'reverb', 'analytics', 'collector.cli-proxy-api']
  assert.ok(own.every((name) => isReserved(`${name}.fleet`, 'fleet')))
  assert.equal(isReserved('cli-proxy-api.fleet', 'fleet'), false)
  assert.equal(isReserved('gateway.other', 'fleet'), false)
  assert.equal(isReserved('gateway.fleet', undefined), false)
})

const stored = (change: object): RouteRecord =>
  ({
    id: 5,
    domain: 'a.test',
    kind: 'app',
    project_id: 2,
    node_id: 3,
    process_id: null,
    upstream: null,
    publication: 'private',
    web_root: null,
    targets: [{ instance_id: 7 }],
    ...change,
  }) as unknown as RouteRecord // What the rules read of one.

const APP = { domain: 'a.test', instanceId: 7, publication: 'private', webRoot: null } as const

test('a stored Route is that of a request to an Instance if it leads to it alone, as published and with that web root [RTE-075]', () => {
  assert.ok(isSameApp(stored({}), APP))
  assert.ok(
    isSameApp(stored({ web_root: 'docs', publication: 'public' }), {
      ...APP,
      webRoot: 'docs',
      publication: 'public',
    }),
  )
  for (const change of [
    { kind: 'custom_proxy' },
    { targets: [] },
    { targets: [{ instance_id: 8 }] },
    { targets: [{ instance_id: 7 }, { instance_id: 8 }] },
    { publication: 'public' },
    { web_root: 'docs' },
  ])
    assert.equal(isSameApp(stored(change), APP), false, JSON.stringify(change))
})

const PROXY = { kind: 'custom_proxy', upstream: 'http://localhost:80' }

test('a stored Route is that of a request for a proxy if its Node and what it leads to are [RTE-049, RTE-075]', () => {
  const request = { domain: 'a.test', nodeId: 3, target: { upstream: 'http://localhost:80' } }
  const ofProcess = { ...request, target: { processId: 9 } }
  assert.ok(isSameProxy(stored(PROXY), request))
  assert.ok(isSameProxy(stored({ ...PROXY, process_id: 9 }), ofProcess))
  for (const change of [
    { kind: 'app' },
    { node_id: 4 },
    { upstream: 'http://localhost:81' },
    { process_id: 9 },
  ])
    assert.equal(isSameProxy(stored({ ...PROXY, ...change }), request), false, JSON.stringify(change))
  for (const change of [{}, { process_id: 8 }])
    assert.equal(isSameProxy(stored({ ...PROXY, ...change }), ofProcess), false, JSON.stringify(change))
})

test('a domain that is taken is a repeat gone wrong for the same kind and owner, and else a conflict; both name the Route', () => {
  const details = { domain: 'a.test', existing_route_id: 5 }
  const app = (change: object) => takenByApp(stored(change), { ...APP, projectId: 2 })
  const proxy = (change: object) =>
    takenBy(stored({ ...PROXY, ...change }), { domain: 'a.test', nodeId: 3, target: { processId: 9 } })
  for (const [error, code, members] of [
    [app({}), 'route.retry_conflict'],
    [app({ publication: 'public', web_root: 'x' }), 'route.retry_conflict', ['publication', 'web_root']],
    [app({ project_id: 1 }), 'route.domain_conflict'],
    [app(PROXY), 'route.domain_conflict'],
    [proxy({}), 'route.retry_conflict', ['process_id']],
    [proxy({ node_id: 4 }), 'route.domain_conflict'],
    [proxy({ kind: 'app' }), 'route.domain_conflict'],
  ] as const) {
    const { code: found, details: facts } = error as CodedError // What `fail` makes.
    assert.deepEqual([found, facts], [code, { ...details, ...(members && { members }) }])
  }
})

const ASKED = { domain: 'A.test', node_id: 3, upstream: 'http://localhost' }

test('a request for a proxy is checked member by member [RTE-066, RTE-067, RTE-087, RTE-160]', () => {
  assert.deepEqual(proxyOrRefuse(ASKED), {
    domain: 'a.test',
    nodeId: 3,
    target: { upstream: 'http://localhost:80' },
  })
  const ofProcess = { domain: 'a.test', node_id: 3, process_id: 9 }
  assert.deepEqual(proxyOrRefuse(ofProcess).target, { processId: 9 })
  for (const [input, error] of [
    [
      { ...ASKED, domain: 'single' },
      { code: 'route.domain_invalid', details: { domain: 'single' } },
    ],
    [
      { ...ASKED, publication: 'public' },
      { details: { errors: { publication: ['a custom proxy is private'] } } },
    ],
    [
      { ...ASKED, web_root: 'docs' },
      { details: { errors: { web_root: ['a custom proxy has no web root'] } } },
    ],
    [{ domain: 'a.test', upstream: 'http://localhost' }, { code: 'route.scope_required' }],
    ...[
      { ...ASKED, process_id: 9 },
      { domain: 'a.test', node_id: 3 },
    ].map(
      (input) =>
        [input, { details: { errors: { upstream: ['give either upstream or process_id'] } } }] as const,
    ),
    [
      { ...ASKED, upstream: `https://${'a'.repeat(300)}` },
      { code: 'route.upstream_invalid', details: { upstream: `https://${'a'.repeat(245)}` } },
    ],
  ] as const)
    assert.throws(() => proxyOrRefuse(input), error, JSON.stringify(input))
})

test('a request for a Route to an Instance names nothing beside it, and a folder of the repository [RTE-063, RTE-064, RTE-065, RTE-134]', () => {
  const input = { domain: 'A.test', instance_id: 7 }
  assert.deepEqual(appRequestOrRefuse(input), APP)
  assert.deepEqual(appRequestOrRefuse({ ...input, publication: 'public', web_root: 'docs' }), {
    ...APP,
    publication: 'public',
    webRoot: 'docs',
  })
  for (const member of [{ node_id: 3 }, { upstream: 'http://localhost' }, { process_id: 9 }]) {
    const errors = Object.fromEntries(
      Object.keys(member).map((name) => [name, ['not allowed beside instance_id']]),
    )
    assert.throws(() => appRequestOrRefuse({ ...input, ...member }), { details: { errors } })
  }
  for (const web_root of ['.', '/docs', '../docs'])
    assert.throws(() => appRequestOrRefuse({ ...input, web_root }), { code: 'validation.failed' }, web_root)
})

test('a generated domain is the name, the Project and the TLD, and that of `default` has no name [RTE-035, RTE-036]', () => {
  assert.equal(generatedDomain({ project: 'shop', name: 'wip', tld: 'test' }), 'wip.shop.test')
  assert.equal(generatedDomain({ project: 'shop', name: 'default', tld: 'test' }), 'shop.test')
})
