import {
  Autocomplete,
  Button,
  Checkbox,
  Dialog,
  DialogActions,
  DialogTitle,
  FormControl,
  FormControlLabel,
  InputLabel,
  Menu,
  MenuItem,
  Select,
  Switch,
  TextField,
} from '@mui/material';
import { useState } from 'react';
import { Saved, show } from './page.jsx';

const countries = ['Albania', 'Brazil', 'Canada', 'Denmark', 'Estonia', 'France', 'Ghana'];

function Form() {
  const [name, setName] = useState('');
  const [size, setSize] = useState('');
  const [country, setCountry] = useState(null);
  const [news, setNews] = useState(false);
  const [fast, setFast] = useState(false);
  const [asks, setAsks] = useState(false);
  const [menu, setMenu] = useState(null);
  const [values, setValues] = useState();
  const save = () => {
    setAsks(false);
    setValues([name, size, country, news ? 'news' : 'no news', fast ? 'fast' : 'slow']);
  };
  return (
    <>
      <h1>Material UI</h1>
      <TextField label="Name" value={name} onChange={(e) => setName(e.target.value)} />
      <FormControl sx={{ minWidth: 160 }}>
        <InputLabel id="size">Size</InputLabel>
        <Select labelId="size" label="Size" value={size} onChange={(e) => setSize(e.target.value)}>
          {['Small', 'Medium', 'Large'].map((one) => (
            <MenuItem key={one} value={one}>
              {one}
            </MenuItem>
          ))}
        </Select>
      </FormControl>
      <Autocomplete
        options={countries}
        value={country}
        onChange={(_, one) => setCountry(one)}
        renderInput={(props) => <TextField {...props} label="Country" />}
      />
      <FormControlLabel
        control={<Checkbox checked={news} onChange={(e) => setNews(e.target.checked)} />}
        label="News"
      />
      <FormControlLabel
        control={<Switch checked={fast} onChange={(e) => setFast(e.target.checked)} />}
        label="Fast"
      />
      <Button variant="contained" onClick={() => setAsks(true)}>
        Save
      </Button>
      <Button onClick={(e) => setMenu(e.currentTarget)}>More</Button>
      <Menu anchorEl={menu} open={menu !== null} onClose={() => setMenu(null)}>
        <MenuItem onClick={() => setMenu(null)}>Print</MenuItem>
        <MenuItem
          onClick={() => {
            setMenu(null);
            setValues(['archived']);
          }}
        >
          Archive
        </MenuItem>
      </Menu>
      <Dialog open={asks} onClose={() => setAsks(false)}>
        <DialogTitle>Save it now?</DialogTitle>
        <DialogActions>
          <Button onClick={() => setAsks(false)}>Back</Button>
          <Button onClick={save}>Yes, save</Button>
        </DialogActions>
      </Dialog>
      <Saved values={values} />
    </>
  );
}

show(<Form />);
