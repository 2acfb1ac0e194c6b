import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renamed } from '#/environment/rename.ts'

const FROM = { path: '/home/fleet/apps/shop/default', domain: 'shop.test' }
const TO = { path: '/home/fleet/apps/shop/a', domain: 'a.shop.test' }

/** What a value says, and what it says in a copy. */
export const RENAMED: ReadonlyArray<readonly [string, string]> = [
  ['/home/fleet/apps/shop/default', '/home/fleet/apps/shop/a'],
  ['/home/fleet/apps/shop/default/data/x.sqlite', '/home/fleet/apps/shop/a/data/x.sqlite'],
  [
    'sqlite:///home/fleet/apps/shop/default/x;file:/home/fleet/apps/shop/default',
    'sqlite:///home/fleet/apps/shop/a/x;file:/home/fleet/apps/shop/a',
  ],
  ['/home/fleet/apps/shop/default-2/x', '/home/fleet/apps/shop/default-2/x'],
  ['/home/fleet/apps/shop/default.old', '/home/fleet/apps/shop/default.old'],
  ['/mnt/home/fleet/apps/shop/default', '/mnt/home/fleet/apps/shop/default'],
  ['https://shop.test/path?x=shop.test', 'https://a.shop.test/path?x=a.shop.test'],
  ['shop.test:8080,admin@shop.test', 'a.shop.test:8080,admin@a.shop.test'],
  ['.shop.test', '.a.shop.test'],
  ['https://feature.shop.test', 'https://feature.shop.test'],
  [
    'my-shop.test shop.testing shop.test.example shop.test-1',
    'my-shop.test shop.testing shop.test.example shop.test-1',
  ],
  ['Visit shop.test.', 'Visit a.shop.test.'],
  ['nothing of it', 'nothing of it'],
]

test('a value names the copy where it named the source, and stays where it only looks alike [INS-072]', () => {
  for (const [before, after] of RENAMED) {
    assert.equal(renamed(before, FROM, TO), after)
    assert.equal(renamed(after, FROM, TO), after, 'a second time changes nothing')
  }
})

test('without a domain of both only the path is renamed', () => {
  const text = '/home/fleet/apps/shop/default on shop.test'
  for (const [from, to] of [
    [{ ...FROM, domain: null }, TO],
    [FROM, { ...TO, domain: null }],
  ] as const)
    assert.equal(renamed(text, from, to), '/home/fleet/apps/shop/a on shop.test')
})
