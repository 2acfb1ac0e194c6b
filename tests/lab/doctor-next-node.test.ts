import { MUTATIONS } from './doctor-mutations.test.ts'
import { followEach } from './doctor-next.ts'

followEach(
  'next',
  MUTATIONS.filter(({ code }) => !code.startsWith('role.')),
)
