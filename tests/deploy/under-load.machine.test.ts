import { test } from 'node:test'
import { deployUnderLoad, NO_TOWN } from './under-load.ts'

test(
  'under 300 requests a second three Nodes of a pool are deployed and rolled back: no request is lost, none sees half a release, and every opcode cache is reset each time [DEPL-014, DEPL-034]',
  { skip: NO_TOWN },
  async (context) => context.diagnostic(await deployUnderLoad(3, (round) => round === 2)),
)
