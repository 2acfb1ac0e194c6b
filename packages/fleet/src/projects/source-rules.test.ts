import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isBranchName, repositoryIdentity, rootProblem, sourceProblems } from '#/projects/source-rules.ts'

const sameRepository = [
  'https://git.example.com/acme/shop',
  'https://git.example.com/acme/shop.git',
  'https://git.example.com/acme/shop/',
  'https://git.example.com/acme/shop.git/',
  'https://git.example.com//acme//shop',
  'https://GIT.example.com/acme/shop',
  'HTTPS://git.example.com/acme/shop',
  'https://git.example.com:8443/acme/shop.git',
  'ssh://git@git.example.com/acme/shop.git',
  'ssh://git.example.com:22/acme/shop',
  'ssh://deploy-user@git.example.com/acme/shop',
  'git@git.example.com:acme/shop.git',
  'git@git.example.com:/acme/shop',
  'git.example.com:acme/shop',
]
for (const url of sameRepository) {
  test(`${url} is the repository git.example.com/acme/shop [PRJ-035]`, () => {
    assert.equal(repositoryIdentity(url), 'git.example.com/acme/shop')
  })
}

const otherRepositories = [
  ['https://git.example.com/acme/Shop', 'git.example.com/acme/Shop'],
  ['https://git.example.com/acme/shop.github', 'git.example.com/acme/shop.github'],
  ['https://git2.example.com/acme/shop', 'git2.example.com/acme/shop'],
  ['git@127.0.0.1:~me/shop.git', '127.0.0.1/~me/shop'],
  ['ssh://git@[fd00::1]:2222/shop.git', '[fd00::1]/shop'],
] as const
for (const [url, identity] of otherRepositories) {
  test(`${url} is the repository ${identity} [PRJ-035]`, () => {
    assert.equal(repositoryIdentity(url), identity)
  })
}

const refusedUrls = [
  '',
  'ftp://git.example.com/acme/shop',
  'http://git.example.com/acme/shop',
  'git://git.example.com/acme/shop',
  'file:///srv/git/shop',
  '/srv/git/shop',
  './shop',
  'ext::sh -c touch% /tmp/x',
  'ext::touch',
  'https://user:password@git.example.com/acme/shop',
  'https://ghp_token@git.example.com/acme/shop',
  'ssh://git:password@git.example.com/acme/shop',
  'git:password@git.example.com:acme/shop',
  '--upload-pack=touch /tmp/x',
  '-oProxyCommand=x:acme/shop',
  'ssh://-oProxyCommand=x/acme/shop',
  'git@-oProxyCommand=x:acme/shop',
  '-u@git.example.com:acme/shop',
  'https://git.example.com/acme/shop?ref=main',
  'https://git.example.com/acme/shop#main',
  'https://git.example.com/acme/../shop',
  'https://git.example.com/',
  'https://git.example.com/.git',
  'https://git.example.com',
  'https://git.example.com/acme/sh op',
  'https://git.example.com/acme/shop\n',
  'https://git.example.com\\@evil.example.com/shop',
  'https://gït.example.com/acme/shop',
  `https://git.example.com/${'a'.repeat(2048)}`,
]
for (const url of refusedUrls) {
  test(`${JSON.stringify(url.slice(0, 60))} is no URL for a Project [PRJ-005]`, () => {
    assert.equal(repositoryIdentity(url), undefined)
  })
}

test('no accepted URL begins as an option or holds a password [PRJ-005]', () => {
  const pieces = fc.constantFrom(
    'https',
    'ssh',
    '://',
    ':',
    '@',
    '/',
    'git',
    'a.example',
    '-o',
    '.git',
    'pw',
    '..',
    '22',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 10 }), (parts) => {
      const url = parts.join('')
      if (repositoryIdentity(url) === undefined) return
      assert.ok(!url.startsWith('-'))
      assert.ok(!/^[a-z]+:\/\/[^/]*:[^/]*@/.test(url), url)
    }),
    { numRuns: 2000 },
  )
})

test('the repository root is a web root for packages only [PRJ-015, PRJ-016, PRJ-017]', () => {
  for (const type of ['laravel-package', 'node-package'] as const)
    assert.equal(rootProblem('.', type), undefined)
  for (const type of ['laravel-app', 'symfony-app', 'monorepo'] as const)
    assert.match(rootProblem('.', type) ?? '', /root/)
})

for (const root of [
  '',
  '/public',
  'public/',
  'a//b',
  './public',
  'a/../b',
  '..',
  'a\\b',
  'a\nb',
  '.git',
  '.GIT/hooks',
]) {
  test(`${JSON.stringify(root)} is no web root [PRJ-008]`, () => {
    assert.ok(rootProblem(root, 'node-package'))
  })
}

test('normalized paths are web roots [PRJ-008]', () => {
  for (const root of ['public', 'apps/web/public', '.hidden/www', 'a b', '.github']) {
    assert.equal(rootProblem(root, 'laravel-app'), undefined, root)
  }
})

test('branch names are what Git takes [PRJ-007]', () => {
  for (const name of ['main', 'feature/x', '1.x', 'a@b', 'ünï']) assert.ok(isBranchName(name), name)
  const bad = [
    '',
    '-x',
    'HEAD',
    '@',
    'a..b',
    'a b',
    'a~b',
    'a^b',
    'a:b',
    'a?b',
    'a*b',
    'a[b',
    'a\\b',
    'a@{b',
    'a//b',
    '/a',
    'a/',
    'a.',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a\u0007b',
    'a'.repeat(251),
    `x/${'ü'.repeat(126)}`,
  ]
  for (const name of [`${'a'.repeat(250)}/${'b'.repeat(4)}`, 'ü'.repeat(125)])
    assert.ok(isBranchName(name), name)
  for (const name of bad) assert.ok(!isBranchName(name), JSON.stringify(name))
})

test('every broken rule is reported by its member; gh_cli reads github.com only [PRJ-037]', () => {
  const values = {
    type: 'laravel-app',
    repositoryUrl: 'x',
    sourceAccess: 'gh_cli',
    root: '.',
    defaultBranch: '-x',
  } as const
  assert.deepEqual(Object.keys(sourceProblems(values)), ['repository_url', 'root', 'default_branch'])
  const usable = { ...values, root: 'public', defaultBranch: null }
  const at = (repositoryUrl: string) => Object.keys(sourceProblems({ ...usable, repositoryUrl }))
  assert.deepEqual(at('https://gitlab.com/acme/shop'), ['source_access'])
  assert.deepEqual(at('https://github.com.evil.example/acme/shop'), ['source_access'])
  assert.deepEqual(at('git@GitHub.com:acme/shop.git'), [])
})
