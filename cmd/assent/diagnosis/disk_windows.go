package diagnosis

import "golang.org/x/sys/windows"

// free is how many bytes this user can still write where a folder is.
func free(folder string) (bytes uint64, err error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(name, &bytes, nil, nil)
	}
	return bytes, err
}
