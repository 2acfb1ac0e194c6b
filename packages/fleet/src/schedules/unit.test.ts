import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeRecord } from '@fleet/testing'
import type { InstanceRecord } from '#/instances/api.ts'
import { unitWord, withOwnEnvironment } from '#/managed-services/api.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'
import { aspectsOf } from '#/schedules/checks/aspects.ts'
import { renderTexts } from '#/schedules/unit.ts'

const ID = 'b3b0c7a4-2f2e-4d86-9f4a-3a4f7a0c2d11'
const node = nodeRecord({ user: 'fleet', user_home: '/home/fleet' })

const schedule = (more: Partial<ScheduleRecord> = {}): ScheduleRecord => ({
  id: ID,
  owner: { type: 'node', id: node.id, node, instance: undefined },
  node,
  name: 'nightly',
  calendar: 'Mon..Fri *-*-* 03:00:00',
  command: `printf '%s' "$HOME" | mail 'me'`,
  timeout_seconds: 60,
  starts_enabled: 1,
  desired_timer_state: 'enabled',
  status: 'active',
  failed_step: null,
  error_code: null,
  last_run_at: null,
  last_run_status: null,
  created_at: '2026-01-01T00:00:00.000Z',
  definition_id: null,
  ...more,
})

const ofInstance = (given: Partial<InstanceRecord>): ScheduleRecord => {
  const instance = {
    checkout_path: "/home/fleet/apps/it's 5%/default",
    production_home: null,
    production_user: null,
    environment: 'development',
    profile: { applicationDirectory: 'site' },
    ...given,
  } as InstanceRecord // The members that a unit is rendered from.
  return schedule({ owner: { type: 'instance', id: 7, node, instance } })
}

test('script, service and timer of a Node Schedule, which starts however often it is asked to [SCHD-012, SCHD-018, SCHD-019]', () => {
  assert.deepEqual(renderTexts(schedule()), {
    script: `# Written by Fleet. Changes made here are replaced.
# fleet.schedule.id=${ID}
cd -- /home/fleet || exit 1
printf '%s' "$HOME" | mail 'me'
`,
    service: `# Written by Fleet. Changes made here are replaced.
# fleet.schedule.id=${ID}
[Unit]
Description=Fleet Schedule nightly
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=oneshot
User=fleet
WorkingDirectory=-/home/fleet
Environment="PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
Environment="NODE_USE_SYSTEM_CA=1"
ExecStart=/bin/bash --login /etc/fleet/schedules/${ID}.sh
ExecStopPost=-+/opt/fleet/bin/fleet node-report --result=\${SERVICE_RESULT} ${ID}
TimeoutStartSec=60
TimeoutStopSec=30
`,
    timer: `# Written by Fleet. Changes made here are replaced.
# fleet.schedule.id=${ID}
[Unit]
Description=Timer of the Fleet Schedule nightly

[Timer]
OnCalendar=Mon..Fri *-*-* 03:00:00
AccuracySec=1s
Persistent=true
Unit=fleet-schedule-${ID}.service

[Install]
WantedBy=timers.target
`,
  })
})

const lines = (text: string, names: string): readonly string[] =>
  text.split('\n').filter((line) => new RegExp(`^(?:${names})`).test(line))

test('a development Schedule runs in its application directory as the managed user, with the variables of its Instance [SCHD-019, PRJ-020]', () => {
  const { script, service } = renderTexts(ofInstance({}))
  assert.deepEqual(lines(script, 'cd'), [
    String.raw`cd -- '/home/fleet/apps/it'\''s 5%/default/site' || exit 1`,
  ])
  assert.deepEqual(lines(service, 'User|Working|EnvironmentFile|ExecStart='), [
    'User=fleet',
    "WorkingDirectory=-/home/fleet/apps/it's 5%%/default/site",
    "EnvironmentFile=-/home/fleet/apps/it's 5%%/default/site/.env",
    `ExecStart=/bin/bash --login /etc/fleet/schedules/${ID}.sh`,
  ])
})

test('a production Schedule runs in the selected release as the production user, in a plain shell; that user reads its .env, which systemd would as root and for the report of root [SCHD-019]', () => {
  const { script, service } = renderTexts(
    ofInstance({
      environment: 'production',
      production_home: '/srv/shop',
      production_user: 'shop',
      profile: undefined,
    }),
  )
  assert.deepEqual(lines(script, 'cd'), ['cd -- /srv/shop/current || exit 1'])
  const words = withOwnEnvironment('/srv/shop/.env', [], ['/bin/sh', `/etc/fleet/schedules/${ID}.sh`])
  assert.deepEqual(lines(service, 'User|Working|EnvironmentFile|ExecStart='), [
    'User=shop',
    'WorkingDirectory=-/srv/shop/current',
    `ExecStart=:${words.map(unitWord).join(' ')}`,
  ])
})

test('each line of the files is compared as what it is about, and the command as itself [DRF-050, DRF-051]', () => {
  const wanted = renderTexts(schedule({ command: 'cd -- /elsewhere' }))
  const differing = (change: Partial<typeof wanted>): readonly string[] => {
    const [a, b] = [aspectsOf(wanted), aspectsOf({ ...wanted, ...change })]
    return (Object.keys(a) as (keyof typeof a)[]).filter((aspect) => a[aspect] !== b[aspect]) // Keys of this very object.
  }
  const { script, service, timer } = wanted
  assert.deepEqual(differing({}), [])
  assert.deepEqual(differing({ timer: timer.replace('03:00', '04:00') }), ['calendar'])
  assert.deepEqual(differing({ timer: timer.replace('Persistent=true', 'Persistent=false') }), [
    'specification',
  ])
  assert.deepEqual(differing({ service: service.replace('User=fleet', 'User=root') }), ['context'])
  assert.deepEqual(differing({ service: service.replace('success', '').replace('-+/opt', '-/opt') }), [
    'callback',
  ])
  assert.deepEqual(differing({ service: `${service}Nice=5\n` }), ['specification'])
  assert.deepEqual(differing({ script: script.replace('cd -- /home/fleet', 'cd -- /') }), ['context'])
  assert.deepEqual(differing({ script: script.replace('/elsewhere', '/tmp') }), ['specification'])
})
