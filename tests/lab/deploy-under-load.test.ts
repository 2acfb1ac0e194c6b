import { test } from 'node:test'
import { deployUnderLoad, NO_TOWN } from '../deploy/under-load.ts'

test(
  'under 300 requests a second that never get less, three Nodes of a pool go through 30 deployments and 12 rollbacks with PHP, a Node server and static files [DEPL-014, DEPL-034]',
  { skip: NO_TOWN },
  async (context) => {
    const isBack = (round: number): boolean => round % 5 === 2 || round % 5 === 4
    context.diagnostic(await deployUnderLoad(10, isBack, { fullRounds: Number.POSITIVE_INFINITY }))
  },
)
