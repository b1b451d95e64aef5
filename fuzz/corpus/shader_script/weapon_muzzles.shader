shotgunFlash
{
	cull disable
	{
		map models/weapons2/shotgun/muzzley.tga
		blendfunc add
	}
}


machinegunFlash
{
	cull disable
	{
		map models/weapons2/machinegun/muzzley.tga
		blendfunc add
	}
}

