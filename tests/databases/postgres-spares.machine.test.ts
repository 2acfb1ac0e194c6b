import { testPostgresSpares } from './postgres-spares.ts'
import { startPostgresWorld } from './postgres-world.ts'

testPostgresSpares('PostgreSQL', () => startPostgresWorld())
