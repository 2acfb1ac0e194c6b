import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FirewallProgram, ufw } from '@fleet/fleet'
import { sampleShare, testSeed } from '@fleet/testing/sample'
import type { Host } from '../../lab/index.ts'
import { type FirewallLab, startFirewallLab } from './firewall-world.ts'
import { onHosts } from './site.ts'

const FOLDER = '/opt/dying'
/** Every program that the script starts. */
const PROGRAMS =
  'cat chmod cut grep head ip6tables ip6tables-restore iptables iptables-restore mv python3 rm sed sha256sum sync systemctl tail tr wc'
const COUNT = `${FOLDER}/count`
const END = `${FOLDER}/end`

/**
 * The host's own UFW, seen through a folder in which each program first counts itself and, when its turn has come, kills
 * the whole script instead of running.
 */
const dying: FirewallProgram = {
  read: (session) => ufw.read(session),
  listening: (session) => ufw.listening(session),
  write: (session, writing) => ufw.write(session, { ...writing, root: FOLDER }),
  limitCallers: (session, limit) => ufw.limitCallers(session, limit),
}

// Programs of a pipe count at the same moment.
const DYING = `#!/bin/sh
exec 9>>${FOLDER}/lock
flock 9
number=$(($(/bin/cat ${COUNT}) + 1))
echo "$number" >${COUNT}
[ "$number" -ne "$(/bin/cat ${END})" ] || kill -9 0
exec 9>&-
PATH=/usr/sbin:/usr/bin exec "\${0##*/}" "$@"
`

async function install(host: Host): Promise<void> {
  const links = ['etc', 'lib', 'run'].map((name) => `ln -s /${name} ${FOLDER}/${name}`)
  const names = `for name in ${PROGRAMS}; do cp ${FOLDER}/program ${FOLDER}/bin/$name; done`
  await host.run(
    [
      'sh',
      '-ec',
      `mkdir -p ${FOLDER}/bin; cat >${FOLDER}/program; chmod 755 ${FOLDER}/program; ${names}; ${links.join('; ')}`,
    ],
    { input: DYING },
  )
}

/** Runs the work until it dies at the given program, counted from 1; false when it ended before. */
async function diesAt({ host }: FirewallLab, number: number, work: () => Promise<unknown>): Promise<boolean> {
  // Counting continues after a death, so nothing dies twice.
  await host.run(['sh', '-ec', `echo 0 >${COUNT}; echo ${number} >${END}`])
  return work().then(
    () => false,
    () => true,
  )
}

const PRISTINE = `${FOLDER}/pristine`

/** The firewall as its package left it: off, without rules. */
const reset = (host: Host): Promise<string> =>
  host.run(['sh', '-ec', `/lib/ufw/ufw-init force-stop; cp -a ${PRISTINE}/ufw ${PRISTINE}/default /etc`])

/** A death takes a second or more, so a run tries a third of the programs; which third follows from its seed. */
const EVERY = sampleShare(3)
const FIRST = 1 + (testSeed() % EVERY)

test(
  'whenever bootstrap dies at a program, SSH answers, and the same call finishes [NODE-051, NODE-129]',
  onHosts,
  async () => {
    await using lab = await startFirewallLab('fw-die', { program: dying })
    const { host } = lab
    const rules = lab.domain.firewall.onNodes
    await install(host)
    await host.run(['sh', '-ec', `mkdir ${PRISTINE}; cp -a /etc/ufw /etc/default ${PRISTINE}`])
    const bootstrap = async (): Promise<void> => {
      await rules.bootstrap(await lab.over('public'), 22)
    }
    let number = FIRST
    for (; await diesAt(lab, number, bootstrap); number += EVERY) {
      assert.equal(await lab.answers('public'), true, `after a death at program ${number}`)
      // Finishing is slow and the same each time: now and then shows it.
      if (number % 10 < 2) {
        await bootstrap()
        assert.match(await host.run(['ufw', 'status']), /22\/tcp +ALLOW/)
      }
      await reset(host)
    }
    assert.ok(number > 20, `only ${number} programs were counted`)
    assert.match(await host.run(['ufw', 'status']), /22\/tcp +ALLOW +Anywhere +# fleet:public-ssh-recovery/)
  },
)

test(
  'whenever a change of rules dies at a program, the way over the tunnel answers, and the same request finishes [FW-002, FW-023]',
  onHosts,
  async () => {
    await using lab = await startFirewallLab('fw-dies', { program: dying, roles: ['app-dev'] })
    const { host, store } = lab
    const rules = lab.domain.firewall.onNodes
    await install(host)
    await host.run(['sh', '-ec', `echo 0 >${COUNT}; echo 0 >${END}`])
    await rules.bootstrap(await lab.over('public'), 22)
    await rules.admitMembers(await lab.over('public'))
    const status = async (): Promise<string | undefined> =>
      (await store.db.selectFrom('firewall_rules').select('status').executeTakeFirst())?.status
    let number = FIRST
    for (; await diesAt(lab, number, () => lab.add('allow', { name: 'web', port: '443' })); number += EVERY) {
      assert.equal(await status(), 'failed')
      assert.equal(await lab.answers('tunnel'), true, `after a death at program ${number}`)
      await lab.add('allow', { name: 'web', port: '443' })
      if (await diesAt(lab, number, () => lab.remove('web'))) {
        assert.equal(await status(), 'failed')
        assert.equal(await lab.answers('tunnel'), true, `after a removal that died at program ${number}`)
        await lab.remove('web')
      }
      assert.equal(await status(), undefined)
      assert.doesNotMatch(await host.run(['cat', '/etc/ufw/user.rules']), /443/)
    }
    assert.ok(number > 15, `only ${number} programs were counted`)
  },
)
