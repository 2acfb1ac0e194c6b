import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { localSession, serviceHost } from '@fleet/testing'
import { installPackages } from '#/tools/commands/install-packages.ts'

const DISABLED = 'E: Packages need to be removed but remove is disabled.'

/** A machine on which ufw cannot be installed beside another firewall; its lists are old where they are said to be. */
function machine(
  context: TestContext,
  { isOld = false, plan = ['iptables-persistent', 'netfilter-persistent:amd64'] } = {},
) {
  const host = serviceHost()
  context.after(() => host[Symbol.dispose]())
  host.install('dpkg-query', 'echo installed')
  host.install('sync', 'exit 0')
  host.install(
    'apt-get',
    `echo "$*" >>"$0.log"
    case " $* " in
      *' update '*) touch "$0.new"; exit 0 ;;
      *' -s '*) printf '%s\\n' 'Reading package lists...' ${plan.map((name) => `'Remv ${name} [1.0]'`).join(' ')} 'Inst ufw (0.36 Debian)'; exit 0 ;;
      *' --no-remove '*) ${isOld ? '[ -e "$0.new" ] || { echo "E: Failed to fetch x" >&2; exit 100; }' : ''}
        echo '${DISABLED}' >&2; exit 100 ;;
    esac`,
  )
  return {
    session: localSession(host.pool),
    ran: () => host.read('fake/apt-get.log')?.trim().split('\n') ?? [],
  }
}

for (const isOld of [false, true])
  test(`packages of a role remove none of the machine: it is said which would go${isOld ? ', also once the lists are new' : ''}`, async (context) => {
    const { session, ran } = machine(context, { isOld })
    await assert.rejects(session.ask(installPackages, ['ufw', 'acl']), {
      code: 'node_role.package_failed',
      message:
        'For what the role needs, apt would remove iptables-persistent, netfilter-persistent:amd64 from the machine, so nothing was installed. ' +
        '`apt-get install --no-install-recommends ufw acl` there shows all of it and asks before it does it; then repeat the command.',
      details: {
        node: { id: 7, name: 'web-1' },
        reason: 'would_remove',
        would_remove: ['iptables-persistent', 'netfilter-persistent:amd64'],
      },
    })
    const changes = ran().filter((words) => words.includes(' install ') && !words.includes(' -s '))
    assert.equal(changes.length, isOld ? 2 : 1)
    assert.ok(changes.every((words) => words.includes(' --no-remove ')))
  })

test('names that are none of Debian are not said', async (context) => {
  const { session } = machine(context, { plan: ['$(evil)'] })
  await assert.rejects(session.ask(installPackages, ['ufw']), {
    message: /^For what the role needs, apt would remove other packages from the machine, /,
    details: { node: { id: 7, name: 'web-1' }, reason: 'would_remove', would_remove: [] },
  })
})
