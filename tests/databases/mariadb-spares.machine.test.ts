import { missingMariadb, startMariadbWorld } from './mariadb-world.ts'
import { testSpares } from './spare-tests.ts'

testSpares({
  product: 'MariaDB',
  missing: missingMariadb(),
  start: startMariadbWorld,
  readOnly: '@@tx_read_only',
  isolation: '@@tx_isolation',
  sessionStatus: 'information_schema.session_status',
})
