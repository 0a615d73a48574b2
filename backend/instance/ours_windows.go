package instance

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// openOurs opens a file that belongs to this user, or to the administrators, whose
// files a user who is one creates. Who may read it is inherited from the user's own
// AppData folder, which no other user can open.
func openOurs(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the endpoint: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, refused(path + " is a link")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the endpoint: %w", err)
	}
	if err := ownedByUs(file); err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return file, nil
}

func ownedByUs(file *os.File) error {
	descriptor, err := windows.GetSecurityInfo(windows.Handle(file.Fd()), windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("reading the owner of the endpoint: %w", err)
	}
	owner, _, err := descriptor.Owner()
	if err != nil {
		return fmt.Errorf("reading the owner of the endpoint: %w", err)
	}
	us, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("finding this user: %w", err)
	}
	if !owner.Equals(us.User.Sid) && !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) {
		return refused(file.Name() + " belongs to another user")
	}
	return nil
}
