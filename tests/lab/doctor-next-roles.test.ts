import { MUTATIONS } from './doctor-mutations.test.ts'
import { followEach } from './doctor-next.ts'

followEach(
  'nextroles',
  MUTATIONS.filter(({ code }) => code.startsWith('role.')),
)
