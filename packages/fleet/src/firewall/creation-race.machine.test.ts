import { fakeCall } from '@fleet/testing'
import { raceOf, SLOW_ROUNDS } from '@fleet/testing/race'
import { EMPTY_RULES, EMPTY_RULES6, startFirewallWorld } from '#/firewall/world.test.ts'

for (const action of ['allow', 'deny'] as const)
  raceOf(
    `a firewall rule (${action})`,
    async (dialect) => {
      const world = await startFirewallWorld(dialect)
      const nodes = await Promise.all(
        Array.from({ length: SLOW_ROUNDS }, (_, index) =>
          world.addMachine({ wireguard_ip: `10.44.1.${index}` }),
        ),
      )
      let current = -1
      return {
        ...world,
        create: (round) => {
          // One machine stands for all of them, and the rules of the others would only cost time.
          if (round !== current) {
            current = round
            world.ufw.take(EMPTY_RULES, EMPTY_RULES6)
            world.ufw.load()
          }
          const node = nodes[round]?.id ?? 0
          const input = { node, name: 'web', port: '443', source: 'any', protocol: 'tcp' } as const
          return world.domain.handlers[`node:firewall:${action}`]({ call: fakeCall(), input })
        },
      }
    },
    { rows: '[FW-017]', rounds: SLOW_ROUNDS },
  )
