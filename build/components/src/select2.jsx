import $ from 'jquery';
import select2 from 'select2';
import style from 'select2/dist/css/select2.css';

select2(window, $);
const options = (names) => names.map((name) => `<option>${name}</option>`).join('');
const towns = Array.from({ length: 60 }, (_, i) => `Town ${String(i + 1)}`);
document.getElementById('root').innerHTML = `
  <style>${style}</style>
  <h1>Select2</h1>
  <label for="colour">Colour</label>
  <select id="colour" style="width: 200px"><option></option>${options(['Red', 'Green', 'Blue'])}</select>
  <label for="town">Town</label>
  <select id="town" style="width: 200px"><option></option>${options(towns)}</select>
  <label for="sizes">Sizes</label>
  <select id="sizes" multiple style="width: 200px">${options(['Small', 'Medium', 'Large'])}</select>
  <button>Save</button><p role="status"></p>`;
$('#colour').select2({ placeholder: 'Choose a colour', minimumResultsForSearch: Infinity });
$('#town').select2({ placeholder: 'Choose a town' });
$('#sizes').select2();
$('button').on('click', () => {
  const values = [$('#colour').val(), $('#town').val(), $('#sizes').val().join('+')];
  $('p').text(`Saved: ${values.join(', ')}`);
});
