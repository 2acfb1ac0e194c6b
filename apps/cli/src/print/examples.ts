import type { CommandSpec } from '#/command-spec.ts'
import type { CliField } from '@fleet/surfaces'
import { assignments, usualOptions } from '#/hints.ts'

const EXAMPLES: Readonly<Record<string, string>> = {
  instance: 'demo/default',
  route: 'demo.test',
  node: 'node-1',
  role: 'database',
  port: '443',
  'public-ssh-host': '203.0.113.7',
  project: 'demo',
  serving: 'node-1',
  consumer: 'node-2',
  name: 'default',
  slug: 'demo',
  tld: 'test',
  sql: "'select count(*) from orders'",
  table: 'orders',
  cluster: 'berlin',
  candidate: 'demo/default',
  'target-id': 'demo/default',
  range: "'>=18 <20'",
  username: 'reader',
  prefix: 'DB',
  'socket-id': '123.456',
  'channel-name': 'private-fleet',
  accounts: 'deploy',
  stream: '0123456789abcdef0123456789abcdef',
  step: 'install',
  branch: 'main',
  deployment: '42',
  release: '20260102030405-41',
  host: 'git.example',
  'repository-url': 'https://git.example/demo.git',
  key: 'APP_NAME',
  directory: '/home/deploy/apps/demo',
  'source-path': '/home/deploy/src/demo',
  'preview-name': 'preview',
  domain: 'demo.test',
  activity: '42',
  calendar: 'daily',
  schedule: 'b3b0c7a4-2f2e-4d86-9f4a-3a4f7a0c2d11',
  command: "'composer install'",
  shell: 'bash',
  environments: 'production',
  spec: `'{"runtime":"systemd","command":["/usr/bin/php","artisan","queue:work"],"restart_policy":"always"}'`,
  url: 'https://10.44.0.1',
}
/** Words after `--` may begin with a hyphen. */
const LISTS: Readonly<Record<string, string>> = {
  command: '--runtime systemd --start -- /usr/bin/php artisan queue:work',
}
/** Names that mean something else in one command. */
const NAMED: Readonly<Record<string, string>> = {
  'node:add': 'web-1',
  'node:rename': 'web-1',
  'node:resolve': 'node-1',
  'cluster:create': 'berlin',
  'project:setup-step:create': 'install',
  'project:teardown-step:create': 'install',
  'project:dev-deploy-step:create': 'install',
  'instance:deploy-step:create': 'install',
  'schedule:create': 'nightly',
  'node:firewall:allow': 'https',
  'node:firewall:deny': 'https',
  'node:firewall:remove': 'https',
  'process:create': 'queue',
  'project:process-definition:create': 'queue',
  'project:process-definition:show': 'queue',
  'project:process-definition:update': 'queue',
  'project:process-definition:destroy': 'queue',
  'project:schedule-definition:create': 'nightly',
  'project:schedule-definition:show': 'nightly',
  'project:schedule-definition:update': 'nightly',
  'project:schedule-definition:destroy': 'nightly',
  'gateway:add': 'office',
  'gateway:use': 'office',
  'gateway:remove': 'office',
  'gateway:trust': 'office',
  'github:app:install': "'Fleet of Acme'",
}

const TIMED = { spec: `'{"calendar":"daily","command":"php artisan backup","timeout_seconds":600}'` }
const PACKAGE = { package: 'jq' }
/** Values of one command that differ from the usual ones. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'project:schedule-definition:create': TIMED,
  'project:schedule-definition:update': TIMED,
  'dependency:where': { package: 'react' },
  'node:role:relocate': { role: 'websocket' },
  'tool:adopt': PACKAGE,
  'tool:install': PACKAGE,
}

/** A command line that works as printed, for records with the usual names. */
export function example(command: CommandSpec): string {
  const value = ({ name, choices, type }: CliField): string =>
    (type === 'strings' ? LISTS[name] : undefined) ??
    (name === 'name' ? NAMED[command.name] : undefined) ??
    OWN[command.name]?.[name] ??
    EXAMPLES[name] ??
    choices?.[0] ??
    '1'
  const pairs = assignments[command.name]
  const required = command.options
    .filter((field) => field.required && field.member !== pairs?.member && !field.secret)
    .map((field) => `--${field.name} ${field.name === 'root' ? 'public' : value(field)}`)
  const words = command.arguments.filter((field) => !field.secret).map(value)
  const asksSecret = [...command.arguments, ...command.options].some(
    (field) => field.secret && field.required,
  )
  const pipe = asksSecret ? 'printf %s "$VALUE" | ' : ''
  return `${pipe}${['fleet', command.name, ...words, ...(pairs ? [`${pairs.keys[0] ?? ''}=/srv/apps`] : []), ...required, usualOptions[command.name] ?? ''].join(' ').trimEnd()}`
}
