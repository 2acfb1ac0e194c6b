import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composerOf, graphOf, javascriptOf } from './fixtures.ts'
import type { Graph } from './graph.ts'

/** `regular` and `development` of each package by name. */
const scopesOf = (graph: Graph): Readonly<Record<string, readonly boolean[]>> =>
  Object.fromEntries(graph.resolutions.map((one) => [one.name, [one.regular, one.development]]))

const REGULAR = [true, false]
const DEVELOPMENT = [false, true]

// Each project requires a, which requires b and, for its own development, c. Only the project's development requires c.
const manifest = { dependencies: { a: '1' }, devDependencies: { c: '1' } }
const requires = { dependencies: { b: '1' }, devDependencies: { c: '1' } }
const locked = { version: '1.0.0' }
const integrity = { resolution: { integrity: 'sha512-x' } }

const GRAPHS: Readonly<Record<string, Graph>> = {
  npm: graphOf(
    javascriptOf({
      'package.json': manifest,
      'package-lock.json': {
        lockfileVersion: 3,
        packages: {
          '': manifest,
          'node_modules/a': { ...locked, ...requires },
          'node_modules/b': locked,
          'node_modules/c': locked,
        },
      },
    }),
  ),
  bun: graphOf(
    javascriptOf({
      'package.json': manifest,
      'bun.lock': {
        lockfileVersion: 1,
        workspaces: { '': manifest },
        packages: {
          a: ['a@1.0.0', '', requires, 'sha512-a'],
          b: ['b@1.0.0', '', {}, 'sha512-b'],
          c: ['c@1.0.0', '', {}, 'sha512-c'],
        },
      },
    }),
  ),
  pnpm: graphOf(
    javascriptOf({
      'package.json': manifest,
      'pnpm-lock.yaml': JSON.stringify({
        lockfileVersion: '9.0',
        importers: {
          '.': {
            dependencies: { a: { specifier: '1', version: '1.0.0' } },
            devDependencies: { c: { specifier: '1', version: '1.0.0' } },
          },
        },
        packages: { 'a@1.0.0': integrity, 'b@1.0.0': integrity, 'c@1.0.0': integrity },
        snapshots: {
          'a@1.0.0': { dependencies: { b: '1.0.0' }, devDependencies: { c: '1.0.0' } },
          'b@1.0.0': {},
          'c@1.0.0': {},
        },
      }),
    }),
  ),
  composer: graphOf(
    composerOf({
      'composer.json': { require: { 'x/a': '^1' }, 'require-dev': { 'x/c': '^1' } },
      'composer.lock': {
        packages: [
          { name: 'x/a', version: '1.0.0', require: { 'x/b': '^1' }, 'require-dev': { 'x/c': '^1' } },
          { name: 'x/b', version: '1.0.0' },
        ],
        'packages-dev': [{ name: 'x/c', version: '1.0.0' }],
      },
    }),
  ),
}

for (const [manager, graph] of Object.entries(GRAPHS))
  test(`${manager}: a package is regular where a real path leads to it, and what a package needs for its own development installs nothing [DEX-022]`, () => {
    const prefix = manager === 'composer' ? 'x/' : ''
    assert.deepEqual(scopesOf(graph), {
      [`${prefix}a`]: REGULAR,
      [`${prefix}b`]: REGULAR,
      [`${prefix}c`]: DEVELOPMENT,
    })
    assert.ok(!graph.requirements.some(({ source, name }) => source !== undefined && name.endsWith('c')))
  })
