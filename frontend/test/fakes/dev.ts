// For `npm run dev`: http://localhost:5173/?scenario=failed&records=2000
import { install } from './wails';

const query = new URLSearchParams(location.search);
const fake = install(window, {
  scenario: query.get('scenario') ?? 'running',
  records: Number(query.get('records') ?? '2000'),
  held: query.has('held'),
});
setInterval(() => {
  fake.log(1);
}, 700);
